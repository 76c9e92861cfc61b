/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The engine for embedding: open it over a rendezvous and transports, dispatch token rows to experts, combine them.
 * What stands here is public API; the pipeline lives in the packages below.
 * The package knows the Transport SPI and row kernels, and never names a transport.
 */
package dev.transload.engine;

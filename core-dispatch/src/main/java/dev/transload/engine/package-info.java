/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The engine for embedding: open it over a rendezvous and transports, dispatch token rows to experts, combine them.
 * It holds interfaces, requests, results and records of settings; {@code EngineProvider} finds what implements them.
 * The package uses the Transport SPI, row kernels and cores of the host; no other package of the engine, and no
 * transport by name.
 */
package dev.transload.engine;

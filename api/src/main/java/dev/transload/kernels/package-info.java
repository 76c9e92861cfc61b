/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels: gather, scatter, reduce and cast of token rows for one kind of memory, submitted asynchronously.
 * They travel with memory rather than with a transport, so that the engine can work on rows which the JVM cannot see.
 * The package knows the regions of {@code dev.transload.spi} and nothing of rings, ranks or channels.
 */
package dev.transload.kernels;

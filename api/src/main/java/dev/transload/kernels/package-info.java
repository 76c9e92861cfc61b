/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels: gather, scatter, reduce and cast token rows in one kind of memory, asynchronously. They belong to a kind
 * of memory rather than to a transport, so that the engine can process rows that the JVM cannot access. The package
 * uses the regions of {@code dev.transload.spi} and knows no rings, ranks or channels.
 */
package dev.transload.kernels;

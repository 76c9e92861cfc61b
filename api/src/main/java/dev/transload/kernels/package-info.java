/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels gather, scatter, reduce and cast token rows in one kind of memory, asynchronously. They belong to a kind
 * of memory rather than to a transport, so that the engine can process rows that the JVM cannot access. Row kernels use
 * the regions of {@code dev.transload.spi} and know no rings, ranks or channels.
 * <p>
 * Step kernels ({@link dev.transload.kernels.StepKernels}) let a device run the low-latency calls between ranks. The
 * rules of row kernels and step kernels have numbers, e.g. KRN-6 and STP-3; see {@code docs/reference/spi-rules.md}.
 */
package dev.transload.kernels;

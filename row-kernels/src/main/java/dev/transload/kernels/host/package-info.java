/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels for host memory: a queue that executes work on submission, and three implementations of the kernels
 * (native, Vector API, scalar) whose results are bitwise equal to each other.
 * The {@link java.util.ServiceLoader} finds them as {@link dev.transload.kernels.host.HostRowKernelsProvider}.
 * The package accesses regions by their addresses and through {@code MemoryRegion.hostView}. It does not depend on
 * transports, rings or ranks.
 */
package dev.transload.kernels.host;

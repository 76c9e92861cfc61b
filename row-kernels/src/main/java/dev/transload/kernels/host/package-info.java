/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels of host memory: one queue which executes at submission, and two arithmetics of the same bits beneath it.
 * {@link dev.transload.kernels.host.HostRowKernelsProvider} is the entry, found by {@link java.util.ServiceLoader}.
 * The package knows regions by address and by host view, and nothing of transports, rings or ranks.
 */
package dev.transload.kernels.host;

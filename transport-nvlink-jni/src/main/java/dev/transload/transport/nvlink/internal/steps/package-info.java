/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Steps of decode calls that a GPU does by itself, each program by one kernel; {@code tl_steps.cuh} has the kernels.
 */
package dev.transload.transport.nvlink.internal.steps;

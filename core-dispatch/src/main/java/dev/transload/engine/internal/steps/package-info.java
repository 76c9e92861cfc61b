/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Steps of decode calls without a device: their primitives as methods of this thread, on words in host memory, rows by
 * row kernels. For host memory, and for devices whose row kernels have no steps of their own.
 * The package knows the API alone.
 */
package dev.transload.engine.internal.steps;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Expected results of dispatch and combine, computed by brute force on plain arrays, for tests and for the
 * checks of the command line.
 * The code is as simple as possible, even if it is slow, and implements its own arithmetic.
 * The package uses neither the engine, nor row kernels, nor transports, so it cannot share their errors.
 */
package dev.transload.reference;

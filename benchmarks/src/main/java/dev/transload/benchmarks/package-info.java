/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Benchmarks of the figures that the project promises to keep: of row kernels, rings, signals and channels by JMH, of
 * transports between two processes.
 * They may know every module of ours and call what a user could call.
 * A figure is a ratio to a bound that the same run measures, since absolute times differ from machine to machine.
 */
package dev.transload.benchmarks;

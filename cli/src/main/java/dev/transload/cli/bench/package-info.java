/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code bench}: what a transport's operations cost between processes, beside a copy in memory.
 * Rank 0 measures operations and rank 1 answers; calls of the low-latency mode are measured between all ranks.
 * Figures of one run belong together. The package knows the SPI, the low-latency engine and the launcher.
 */
package dev.transload.cli.bench;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code bench}: what a transport's operations cost between two processes, beside a copy in memory.
 * Rank 0 measures, rank 1 answers; figures of one run belong together, since machines differ.
 * The package knows the SPI and the launcher, and nothing of the engine's pipeline.
 */
package dev.transload.cli.bench;

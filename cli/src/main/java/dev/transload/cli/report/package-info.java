/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What a run found, from the reports of its ranks: figures, as JSON for scripts and as a table for people.
 * Names and units of the JSON are a contract; times are those of the slowest rank, bytes those of all ranks.
 * The package knows ranks' reports, how sentences count, and Jackson.
 */
package dev.transload.cli.report;

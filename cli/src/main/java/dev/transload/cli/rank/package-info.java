/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What one rank of a run does: open the engine, repeat dispatch and combine, measure, verify, report.
 * It runs in a process or a thread of its own and is told everything by a description that is equal on all ranks.
 * The package knows the engine's public API, its Guice module, inputs and verification, and nothing of how ranks are
 * started.
 */
package dev.transload.cli.rank;

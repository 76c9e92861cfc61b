/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Ranks of one host as processes or threads: starting them, watching them, and leaving nothing behind.
 * What a rank does is a task that this package is given; it knows only the task's description, reports and outcome.
 * The package knows the rendezvous, files and processes.
 */
package dev.transload.cli.launch;

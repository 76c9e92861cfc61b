/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The normal mode: calls, their checks, and the roles of dispatch and of combine, counts and clear to send included.
 * Roles of one engine meet each other only in cursors and signals; all of them look at one board.
 * The package uses plans, rings and connections; nothing of threads and of the queue of calls, which run it.
 */
package dev.transload.engine.internal.normal;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * How calls run: the board that all threads look at, calls and their completion, roles in general, and notify.
 * The conductor takes calls in order, starts and ends them, watches deadlines and failures; roles do the rest.
 * The package knows links, routes and memory; the roles of dispatch and combine stand in packages of their own.
 */
package dev.transload.engine.run;

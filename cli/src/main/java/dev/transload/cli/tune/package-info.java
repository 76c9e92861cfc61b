/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The search for settings that suit a world and its input: candidates, trials, comparison in pairs, and what is
 * written of it.
 * All ranks make the same trials in one world that stays; each decides by the figures of all, so that all decide alike.
 * The package knows the engine, the tasks of a rank and how ranks are started; the search itself knows only trials.
 */
package dev.transload.cli.tune;

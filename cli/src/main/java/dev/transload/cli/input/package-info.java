/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What a run sends: routing from a router's log, from gating of random scores or from tensor files, and token rows.
 * All of it is a pure function of the options, so that every rank can tell what any other rank sends.
 * The package knows the reference's shapes and tensor files, and checks everything before a run starts.
 */
package dev.transload.cli.input;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What all commands and all processes of this program have in common: options, standard streams, the end.
 * Standard output belongs to results alone; whatever libraries write there goes to standard error.
 * The package uses settings, outcomes and picocli.
 */
package dev.transload.cli.program;

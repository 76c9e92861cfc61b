/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The program {@code transload}: its entry, which has the list of commands.
 * The package uses picocli and all packages of the commands; none of them uses it.
 */
package dev.transload.cli;

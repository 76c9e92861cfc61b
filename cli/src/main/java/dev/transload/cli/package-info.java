/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The program {@code transload}: its commands, what they have in common, and the entry of a rank's process.
 * Standard output belongs to results alone; whatever libraries write there goes to standard error.
 * The package knows picocli and the packages below it.
 */
package dev.transload.cli;

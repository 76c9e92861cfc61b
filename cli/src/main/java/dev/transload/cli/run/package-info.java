/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code run}: options to settings and a task, ranks as processes or threads, the report.
 * Everything that can be refused is refused before a rank starts.
 * The package knows the other packages of the command line and picocli.
 */
package dev.transload.cli.run;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Reports as one HTML file: a template, a style and scripts of our own are joined with a block of JSON to draw from.
 * The browser may fetch nothing, and runs no script and no style but those two, which the page names by their hashes.
 * The package knows JSON and where the file goes, and nothing of what the figures mean.
 */
package dev.transload.cli.page;

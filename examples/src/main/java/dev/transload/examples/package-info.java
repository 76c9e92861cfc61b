/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Programs that show how Transload is used, short enough to be copied. docs/EMBEDDING.md names
 * {@link dev.transload.examples.BothModes}. The others are the JVM's half of an example whose other half, and page, is
 * in a folder beside this module's sources. They know the engine and one transport, as a user's program does.
 */
package dev.transload.examples;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/** Recordings of worlds for replay, and their file format. The package uses only the reference and a JSON library. */
package dev.transload.engine.recording;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/** What a world needs to be run again, and the file that holds it. Uses the reference and a JSON library only. */
package dev.transload.engine.recording;

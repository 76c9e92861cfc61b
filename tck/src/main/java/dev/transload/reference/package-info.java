/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * What dispatch and combine must deliver, computed by brute force on plain arrays: the yardstick of tests and of runs.
 * It is as plain as possible and slow where that is plainer, with an arithmetic of its own.
 * The package knows nothing of the engine, of row kernels or of transports, so that no mistake of theirs is shared.
 */
package dev.transload.reference;

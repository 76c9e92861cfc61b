/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Whether what a rank got is what the reference says, bit for bit; and spoiling a row, to show that this can fail.
 * The first difference is named with its rank, row, source rank and source token.
 * The package knows the reference, inputs and the engine's tensors.
 */
package dev.transload.cli.verify;

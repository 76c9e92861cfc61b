/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * A transport to copy from: ranks of one host map each other's files, and an operation is a copy.
 * It knows the SPI, and {@code transport-base} for all that is the same in every transport.
 * docs/WRITING-A-TRANSPORT.md walks through it.
 */
package dev.transload.examples.mmap;

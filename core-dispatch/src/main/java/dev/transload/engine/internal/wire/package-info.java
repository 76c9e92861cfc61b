/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Wire layouts, one class each: what ranks write into each other's memory besides token rows.
 * Offsets, encodings and their constants stand beside the reading and the writing of them.
 * The package knows sizes and buffers; nothing of transports, rings or roles.
 */
package dev.transload.engine.internal.wire;

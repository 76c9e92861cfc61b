/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Java side of the C library {@code libtransload}, which calls these classes through JNI; {@code transload.h} documents
 * each function.
 * Long lists of arguments and results are passed as structures of 64-bit fields in native memory.
 * The package uses the engine's public API and the rendezvous over JGroups; only the C library uses the package.
 */
package dev.transload.capi;

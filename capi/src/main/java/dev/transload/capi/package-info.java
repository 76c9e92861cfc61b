/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The Java side of the C library {@code libtransload}, which calls these classes by JNI; {@code transload.h} says what
 * each function does. Arguments and results that are more than a few are structures of 64-bit fields in native memory.
 * The package knows the engine's public API and the rendezvous over JGroups, and nothing knows it but the C library.
 */
package dev.transload.capi;

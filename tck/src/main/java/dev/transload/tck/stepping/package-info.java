/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The reference transport for tests: a whole world in one JVM, moved on step by step, which delays and reorders all
 * that the rules of the SPI allow, from a seed. It comes in host memory and in a kind of memory that the JVM cannot
 * look into, with asynchronous row kernels for it. The package knows the SPI alone, no engine.
 */
package dev.transload.tck.stepping;

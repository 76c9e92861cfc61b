/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Reference transport for tests: a complete world in one JVM that runs step by step.
 * From a seed, it chooses delays and reorderings among all that the rules of the SPI allow. It offers host memory and a
 * memory kind that the JVM cannot access, with asynchronous row kernels for both.
 * The package depends on the SPI, but on no engine.
 */
package dev.transload.tck.stepping;

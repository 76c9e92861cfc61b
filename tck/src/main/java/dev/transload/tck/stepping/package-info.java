/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Reference transport for tests: a complete world in one JVM that runs step by step.
 * A seed selects some of the delays and reorderings that the rules of the SPI allow. The transport offers host memory
 * and a memory kind that the JVM cannot access, with asynchronous row kernels for both.
 * The package depends on the SPI, but on no engine.
 */
package dev.transload.tck.stepping;

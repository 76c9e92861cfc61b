/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The conformance kit between processes: rank 0 in the JVM of the test, every other rank in a JVM of its own.
 * {@link dev.transload.tck.processes.ProcessesFixture} is what an author uses; the rest asks the other JVMs, over a
 * loopback socket, to do what the tests want of their ranks. It knows the SPI alone, and no transport.
 */
package dev.transload.tck.processes;

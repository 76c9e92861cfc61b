/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Conformance kit across processes: rank 0 runs in the JVM of the test, every other rank in a separate JVM.
 * Authors use {@link dev.transload.tck.processes.ProcessesFixture}; the other classes send requests of the tests to the
 * other JVMs over a loopback socket.
 * The package depends on the SPI, but on no transport.
 */
package dev.transload.tck.processes;

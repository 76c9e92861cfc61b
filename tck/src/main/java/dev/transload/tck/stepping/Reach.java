/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** Defines which ranks can connect to each other on a network of a {@link SteppingFabric}. */
@FunctionalInterface
public interface Reach
{
    /**
     * Returns whether channels from one rank to another can be connected.
     *
     * @param from rank that connects.
     * @param to   rank that accepts the connection.
     * @return true if channels can be connected.
     */
    boolean reaches(int from, int to);
}

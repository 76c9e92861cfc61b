/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** Who reaches whom on a network of a {@link SteppingFabric}. */
@FunctionalInterface
public interface Reach
{
    /**
     * Whether channels can be connected.
     *
     * @param from rank that connects.
     * @param to   rank that is connected to.
     * @return true when it can.
     */
    boolean reaches(int from, int to);
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

/**
 * One defect.
 *
 * @param name      in plain words: what the changed engine does wrong.
 * @param className of the changed class.
 * @param edit      of it.
 * @param probe     that must fail then.
 */
record Mutant(String name, String className, Edit edit, Probe probe)
{
    @Override
    public String toString()
    {
        return name;
    }
}

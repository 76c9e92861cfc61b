/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

/**
 * One thing that was looked at.
 *
 * @param name   of the thing.
 * @param status how it stands.
 * @param found  what was found.
 * @param advice what to change; empty where nothing has to be.
 */
record Finding(String name, Status status, String found, String advice)
{
    /** How a thing stands. */
    enum Status
    {
        /** As it should be. */
        OK,
        /** Ranks run, slower or fewer than they could. */
        WARN,
        /** Ranks with these settings cannot run. */
        FAIL
    }

    static Finding ok(final String name, final String found)
    {
        return new Finding(name, Status.OK, found, "");
    }

    static Finding warn(final String name, final String found, final String advice)
    {
        return new Finding(name, Status.WARN, found, advice);
    }

    static Finding fail(final String name, final String found, final String advice)
    {
        return new Finding(name, Status.FAIL, found, advice);
    }
}

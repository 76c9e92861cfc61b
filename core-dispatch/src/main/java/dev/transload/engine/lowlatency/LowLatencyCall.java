/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/** Kinds of low-latency calls that counters distinguish. */
public enum LowLatencyCall
{
    /** A dispatch, including its receive. */
    DISPATCH("low-latency dispatch"),

    /** A combine, including its receive. */
    COMBINE("low-latency combine");

    private final String text;

    LowLatencyCall(final String text)
    {
        this.text = text;
    }

    /**
     * Returns the name of this kind in reports and metrics. The name differs from the names of calls of the normal
     * engine.
     *
     * @return name.
     */
    public String text()
    {
        return text;
    }
}

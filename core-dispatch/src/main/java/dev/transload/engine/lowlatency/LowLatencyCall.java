/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

/** Kinds of calls that figures tell apart. */
public enum LowLatencyCall
{
    /** A dispatch and its receive. */
    DISPATCH("low-latency dispatch"),

    /** A combine and its receive. */
    COMBINE("low-latency combine");

    private final String text;

    LowLatencyCall(final String text)
    {
        this.text = text;
    }

    /**
     * How reports and meters name it, apart from the calls of the other mode.
     *
     * @return name.
     */
    public String text()
    {
        return text;
    }
}

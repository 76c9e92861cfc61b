/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark.example;

import java.io.Serializable;

/** A row of the dataset: a token before the layer or behind it. Encoded as a bean. */
public final class Token implements Serializable
{
    private static final long serialVersionUID = 1;

    private long id;
    private float[] values;
    private String computedBy = "";

    public Token()
    {
    }

    Token(final long id, final float[] values, final String computedBy)
    {
        this.id = id;
        this.values = values;
        this.computedBy = computedBy;
    }

    public long getId()
    {
        return id;
    }

    public void setId(final long value)
    {
        id = value;
    }

    public float[] getValues()
    {
        return values;
    }

    public void setValues(final float[] value)
    {
        values = value;
    }

    /** Which world it came from. */
    public String getComputedBy()
    {
        return computedBy;
    }

    public void setComputedBy(final String value)
    {
        computedBy = value;
    }
}

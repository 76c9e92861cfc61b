/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.Header;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;

/** Tells a knock from its answer; one byte on the wire. Public for JGroups, which makes one by reflection. */
public final class KnockHeader extends Header
{
    static final short MAGIC_ID = 12_117;

    private boolean answer;

    /** For a received header. */
    public KnockHeader()
    {
        super();
    }

    KnockHeader(final boolean answer)
    {
        super();
        this.answer = answer;
    }

    boolean isAnswer()
    {
        return answer;
    }

    @Override
    public short getMagicId()
    {
        return MAGIC_ID;
    }

    @Override
    public Supplier<? extends Header> create()
    {
        return KnockHeader::new;
    }

    @Override
    public int serializedSize()
    {
        return Byte.BYTES;
    }

    @Override
    public void writeTo(final DataOutput out) throws IOException
    {
        out.writeBoolean(answer);
    }

    @Override
    public void readFrom(final DataInput in) throws IOException
    {
        answer = in.readBoolean();
    }
}

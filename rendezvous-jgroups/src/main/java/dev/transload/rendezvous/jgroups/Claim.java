/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Member;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What a process says of itself when it comes. On the wire: world size (int), rank (int), incarnation (long), process
 * id (long), host (modified UTF-8).
 *
 * @param worldSize number of ranks that it was told.
 * @param member    who it is.
 */
record Claim(int worldSize, Member member)
{
    int rank()
    {
        return member.rank();
    }

    boolean isSameProcess(final Claim other)
    {
        return member.equals(other.member);
    }

    void writeTo(final DataOutput out) throws IOException
    {
        out.writeInt(worldSize);
        out.writeInt(member.rank());
        out.writeLong(member.incarnation());
        out.writeLong(member.processId());
        out.writeUTF(member.host());
    }

    static Claim readFrom(final DataInput in) throws IOException
    {
        final int worldSize = in.readInt();
        final int rank = in.readInt();
        final long incarnation = in.readLong();
        final long processId = in.readLong();
        return new Claim(worldSize, new Member(rank, incarnation, in.readUTF(), processId));
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.RowList;
import java.util.List;

/** One accepted operation of a channel, with what it needs to be executed late. */
final class Operation
{
    /** What it does. */
    enum Type
    {
        PUT, ROW, LOAD, SIGNAL_ADD, RELEASE_ADD, WORD_ADD, FENCE, FLUSH
    }

    final Type type;
    final long position;
    final long submission;
    SteppingRegion local;
    long localOffset;
    Descriptors remote;
    long remoteOffset;
    long length;
    RowList rows;
    int row;
    long delta;
    /** Of a signal on a fabric without atomics: what it comes to. */
    long total;
    List<Gate> gates = List.of();
    int unread;
    int undone = 1;

    Operation(final Type type, final long position, final long submission)
    {
        this.type = type;
        this.position = position;
        this.submission = submission;
    }

    boolean isReleased()
    {
        return 0 == unread;
    }

    boolean isDelivered()
    {
        return 0 == undone;
    }

    boolean usesLocal()
    {
        return readsLocal() ? !isReleased() : !isDelivered();
    }

    boolean areGatesOpen()
    {
        for (int i = 0; i < gates.size(); i++)
        {
            if (!gates.get(i).isOpen())
            {
                return false;
            }
        }

        return true;
    }

    /** The entry is looked up again when the row is sent: a caller that changed it meanwhile gets an error. */
    void checkRow()
    {
        if (null != rows && (rows.srcOffset(row) != localOffset || rows.dstOffset(row) != remoteOffset ||
            rows.rowLength() != length))
        {
            throw new IllegalStateException("entry " + row + " of a row list was (" + localOffset + " -> " +
                remoteOffset + ", " + length + " bytes) when operation " + position + " was accepted and is (" +
                rows.srcOffset(row) + " -> " + rows.dstOffset(row) + ", " + rows.rowLength() +
                " bytes) before it was released (ROW-3)");
        }
    }

    boolean readsLocal()
    {
        return Type.PUT == type || Type.ROW == type;
    }
}

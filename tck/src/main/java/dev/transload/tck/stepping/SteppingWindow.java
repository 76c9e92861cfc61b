/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.Access;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A peer's region in place. What is stored through it arrives as from the wire: devices see it once it was acquired,
 * those of its writer too.
 */
final class SteppingWindow extends SteppingRegion
{
    private static final int NO_ID = 0;
    private static final int SHIFT = 64;

    private final SteppingRemoteRegion imported;
    private final SteppingRegion target;
    private final byte[] stale;

    private SteppingWindow(final SteppingRemoteRegion imported, final SteppingRegion target, final int base)
    {
        super(imported.worker().transport(), NO_ID, target.memory(), base, (int)target.length(), Access.LOCAL);
        this.imported = imported;
        this.target = target;
        this.stale = new byte[has(Fault.WIN_3) ? (int)target.length() : 0];
    }

    static SteppingWindow of(final SteppingRemoteRegion imported, final SteppingRegion target)
    {
        final boolean isShifted = target.base() > 0 && target.owner().fabric().has(Fault.WIN_2);
        return new SteppingWindow(imported, target, target.base() - (isShifted ? SHIFT : 0));
    }

    @Override
    public ByteBuffer hostView(final long offset, final int viewLength)
    {
        final ByteBuffer view = super.hostView(offset, viewLength);
        if (has(Fault.WIN_3))
        {
            return ByteBuffer.wrap(stale, (int)offset, viewLength).slice().order(ByteOrder.nativeOrder());
        }

        return has(Fault.WIN_4) ? ByteBuffer.allocateDirect(viewLength).put(0, view, 0, viewLength)
            .order(ByteOrder.nativeOrder()) : view;
    }

    @Override
    public void close()
    {
        if (has(Fault.WIN_5))
        {
            imported.close();
        }
    }

    @Override
    boolean isClosed()
    {
        return imported.isClosed() || target.isClosed();
    }

    @Override
    void readLocal(final long offset, final byte[] into, final long submission)
    {
        super.readLocal(offset, into, submission);
        if (has(Fault.WIN_3))
        {
            System.arraycopy(stale, (int)offset, into, 0, into.length);
        }
    }

    @Override
    void writeLocal(final long offset, final byte[] from)
    {
        if (!has(Fault.WIN_4))
        {
            writeWire(offset, from);
        }
    }

    private boolean has(final Fault fault)
    {
        return owner().fabric().has(fault);
    }
}

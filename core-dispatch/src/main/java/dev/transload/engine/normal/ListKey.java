/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import dev.transload.engine.connect.PeerMemory;

/** What kept lists of offsets were made from: they serve any call for which all of it is equal. */
final class ListKey
{
    private long dispatch;
    private int rowBytes;
    private int scaleBytes;
    private long rowsFrom;
    private long scalesFrom;
    private long rowsTo;
    private long scalesTo;

    boolean isOf(final DispatchCall call, final PeerMemory exposure)
    {
        return dispatch == call.routes().callNumber() && rowBytes == call.rowBytes() &&
            scaleBytes == call.scaleBytes() && rowsFrom == call.rowOffset(0) && rowsTo == exposure.offset(0) &&
            (0 == scaleBytes || scalesFrom == call.scaleOffset(0) && scalesTo == exposure.offset(1));
    }

    void set(final DispatchCall call, final PeerMemory exposure)
    {
        dispatch = call.routes().callNumber();
        rowBytes = call.rowBytes();
        scaleBytes = call.scaleBytes();
        rowsFrom = call.rowOffset(0);
        rowsTo = exposure.offset(0);
        scalesFrom = 0 == scaleBytes ? 0 : call.scaleOffset(0);
        scalesTo = exposure.offset(1);
    }

    /** Of no dispatch: they are numbered from 1. */
    void clear()
    {
        dispatch = 0;
    }
}

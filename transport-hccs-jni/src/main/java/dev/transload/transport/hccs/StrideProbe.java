/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.RowList;
import dev.transload.transport.base.RequestArguments;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.Leftovers;

import org.agrona.BufferUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether copies by pitches go from device memory to device memory, which not every chip and version of CANN may have:
 * by one such copy.
 */
final class StrideProbe
{
    private static final Logger LOG = LoggerFactory.getLogger(StrideProbe.class);
    private static final int ROWS = 4;
    private static final int LENGTH = 64;
    private static final int PITCH = 2 * LENGTH;
    private static final int TIMEOUT_MS = 10_000;

    private StrideProbe()
    {
    }

    /**
     * Try.
     *
     * @param device    that copies.
     * @param leftovers takes what is given back.
     * @return true if the runtime took the copy and the device carried it out.
     */
    static boolean passes(final AclDevice device, final Leftovers leftovers)
    {
        try
        {
            final long memory = device.allocate(2L * ROWS * PITCH, false);
            try
            {
                copy(device, memory, leftovers);
                return true;
            }
            finally
            {
                leftovers.giveBack("memory of a probe", () -> device.free(memory));
            }
        }
        catch (final AclException ex)
        {
            LOG.info("rows are copied one by one: {}", ex.getMessage());
            return false;
        }
    }

    private static void copy(final AclDevice device, final long memory, final Leftovers leftovers)
    {
        final RowList rows = RequestArguments.rows(ROWS).rowLength(LENGTH);
        for (int i = 0; i < ROWS; i++)
        {
            rows.set(i, (long)i * PITCH, (long)(ROWS + i) * PITCH);
        }

        final AclStream stream = device.openStream();
        try
        {
            final int code = stream.copyRows(CopyKind.DEVICE_TO_DEVICE, memory, memory,
                BufferUtil.address(rows.memory()), ROWS, LENGTH, true);
            if (0 != code)
            {
                throw stream.failure(code);
            }

            stream.finish(TIMEOUT_MS);
        }
        finally
        {
            leftovers.giveBack("the stream of a probe", stream::close);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.Section;
import dev.transload.spi.Channel;

/** Credit which the producer loads from the consumer's memory, once it needs more than it knows of. */
public final class PulledCredit implements Credit
{
    private final Connection connection;
    private final Section heads;
    private final int remoteIndex;
    private final Section loaded;
    private final int loadedIndex;
    private long known;
    private long loadPosition;
    private boolean isFlushed;

    /**
     * Over a word of the consumer.
     *
     * @param heads  section of the consumer that holds the word.
     * @param loaded own section where it arrives.
     */
    public PulledCredit(
        final Connection connection, final Section heads, final int remoteIndex, final Section loaded,
        final int loadedIndex)
    {
        this.connection = connection;
        this.heads = heads;
        this.remoteIndex = remoteIndex;
        this.loaded = loaded;
        this.loadedIndex = loadedIndex;
    }

    @Override
    public long head(final long needed)
    {
        take();
        if (0 == loadPosition && known < needed)
        {
            final long position = connection.channel().load(connection.remote(heads), heads.offset(remoteIndex),
                loaded.arena().region(connection.stage()), loaded.offset(loadedIndex), Long.BYTES);
            if (connection.isAccepted(position))
            {
                loadPosition = position;
                isFlushed = false;
                // Over mapped memory the load has arrived already: no duty cycle need pass.
                take();
            }
        }

        return known;
    }

    private void take()
    {
        if (0 == loadPosition)
        {
            return;
        }

        final Channel channel = connection.channel();
        if (!isFlushed)
        {
            isFlushed = connection.isAccepted(channel.flush());
        }

        if (channel.deliveredPosition() >= loadPosition)
        {
            known = Math.max(known, loaded.buffer().getLongVolatile(loaded.index(loadedIndex)));
            loadPosition = 0;
        }
    }
}

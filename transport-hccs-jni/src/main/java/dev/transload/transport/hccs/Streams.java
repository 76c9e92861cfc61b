/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclException;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.Leftovers;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The streams of a transport's channels, one each. */
final class Streams
{
    private static final Logger LOG = LoggerFactory.getLogger(Streams.class);

    private final AclDevice device;
    private final Leftovers leftovers;
    private final int timeoutMs;
    private final List<AclStream> open = new ArrayList<>();

    Streams(final AclDevice device, final Leftovers leftovers, final int timeoutMs)
    {
        this.device = device;
        this.leftovers = leftovers;
        this.timeoutMs = timeoutMs;
    }

    synchronized AclStream openStream()
    {
        final AclStream stream = device.openStream();
        open.add(stream);
        return stream;
    }

    /** Drop what a stream has not done, and end it: it uses no memory from here on. */
    void close(final AclStream stream)
    {
        synchronized (this)
        {
            open.remove(stream);
        }

        leftovers.giveBack("a stream", stream::close);
    }

    /** Wait for what the streams have been given so far; one that does not go on is aborted. */
    void drain()
    {
        final List<AclStream> streams;
        synchronized (this)
        {
            streams = List.copyOf(open);
        }

        for (final AclStream stream : streams)
        {
            final int code = stream.await(timeoutMs);
            if (0 != code)
            {
                LOG.debug("work of a stream is dropped: {}", stream.failure(code).getMessage());
                abort(stream);
            }
        }
    }

    private static void abort(final AclStream stream)
    {
        try
        {
            stream.abort();
        }
        catch (final AclException ex)
        {
            LOG.warn("a stream was not aborted: {}", ex.getMessage());
        }
    }
}

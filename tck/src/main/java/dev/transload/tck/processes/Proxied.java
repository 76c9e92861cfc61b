/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import java.nio.ByteBuffer;

/** Stands for an object in a rank's process. */
abstract class Proxied implements AutoCloseable
{
    final RankProcess process;
    final int handle;

    Proxied(final RankProcess process, final long handle)
    {
        this.process = process;
        this.handle = (int)handle;
    }

    final long ask(final Request request)
    {
        return process.ask(request, handle);
    }

    final long ask(final Request request, final RankProcess.Arguments arguments)
    {
        return process.ask(request, handle, arguments);
    }

    final ByteBuffer askBuffer(final Request request)
    {
        return process.answer(request, handle, null).buffer();
    }

    /** Handle of an argument, which must live in the same process. */
    final int handleOf(final Object argument)
    {
        if (argument instanceof Proxied proxied && proxied.process == process)
        {
            return proxied.handle;
        }

        throw new IllegalArgumentException(argument + " does not belong to " + process.name());
    }

    @Override
    public void close()
    {
        if (!process.wasKilled())
        {
            ask(Request.CLOSE);
        }
    }

    @Override
    public String toString()
    {
        return getClass().getSimpleName() + " " + handle + " of " + process.name();
    }
}

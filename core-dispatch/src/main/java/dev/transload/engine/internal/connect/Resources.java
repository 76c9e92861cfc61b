/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import java.util.ArrayDeque;
import java.util.Deque;

/** What an engine opened, to be closed in reverse, whether it came to life or not. */
public final class Resources implements AutoCloseable
{
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    public Resources()
    {
        // Nothing is open yet.
    }

    /** Remember a resource. */
    public synchronized <T extends AutoCloseable> T add(final T resource)
    {
        opened.push(resource);
        return resource;
    }

    /** Leave open what is: somebody who can't be stopped may still use it. The end of the process takes it back. */
    public synchronized void abandon()
    {
        opened.clear();
    }

    /** Close everything, even if some of it fails; the first failure is thrown at the end. */
    @Override
    public synchronized void close()
    {
        RuntimeException first = null;
        while (!opened.isEmpty())
        {
            try
            {
                opened.pop().close();
            }
            catch (final Exception ex)
            {
                final RuntimeException failure =
                    ex instanceof RuntimeException ? (RuntimeException)ex : new IllegalStateException(ex);
                if (null == first)
                {
                    first = failure;
                }
                else
                {
                    first.addSuppressed(failure);
                }
            }
        }

        if (null != first)
        {
            throw first;
        }
    }
}

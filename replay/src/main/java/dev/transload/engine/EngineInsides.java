/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.normal.Board;
import dev.transload.engine.internal.runtime.ProgressThread;
import dev.transload.engine.internal.runtime.Threads;
import java.lang.reflect.Field;
import java.util.List;

/** What tests see of an engine beyond its public face. */
final class EngineInsides
{
    private EngineInsides()
    {
    }

    static List<ProgressThread> threads(final Engine engine)
    {
        return ((Threads)field(parts(engine), "threads")).all();
    }

    @SuppressWarnings("unchecked")
    static List<Connection> links(final ProgressThread thread)
    {
        return (List<Connection>)field(thread, "connections");
    }

    static Board board(final Engine engine)
    {
        return (Board)field(parts(engine), "board");
    }

    /** Of an engine that masks lost ranks, those of the one that makes its calls at present. */
    private static Object parts(final Engine engine)
    {
        final boolean isMasking = OnPeerFailure.MASK == engine.config().onPeerFailure();
        return field(isMasking ? field(engine, "present") : engine, "parts");
    }

    private static Object field(final Object owner, final String name)
    {
        try
        {
            final Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new LinkageError("the engine has no " + name + " any more: adapt this class", ex);
        }
    }
}

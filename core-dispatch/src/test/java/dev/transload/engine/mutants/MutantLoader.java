/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import java.io.IOException;
import java.io.InputStream;

/**
 * Defines the engine and its tests anew, from the bytes on the class path, one class of them changed; all else, which
 * knows none of them, comes from the parent, the reference among it: it is compiled once for all mutants.
 */
final class MutantLoader extends ClassLoader
{
    private static final String ENGINE = "dev.transload.engine.";

    static
    {
        registerAsParallelCapable();
    }

    private final Mutant mutant;

    /** Null for no change. */
    MutantLoader(final Mutant mutant)
    {
        super(MutantLoader.class.getClassLoader());
        this.mutant = mutant;
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean isResolved) throws ClassNotFoundException
    {
        if (!name.startsWith(ENGINE))
        {
            return super.loadClass(name, isResolved);
        }

        synchronized (getClassLoadingLock(name))
        {
            final Class<?> loaded = findLoadedClass(name);
            return null == loaded ? define(name) : loaded;
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException
    {
        final byte[] original = bytes(name);
        final byte[] bytes =
            null != mutant && name.equals(mutant.className()) ? mutant.edit().apply(original) : original;
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] bytes(final String name) throws ClassNotFoundException
    {
        try (InputStream stream = getParent().getResourceAsStream(name.replace('.', '/') + ".class"))
        {
            if (null == stream)
            {
                throw new ClassNotFoundException(name);
            }

            return stream.readAllBytes();
        }
        catch (final IOException ex)
        {
            throw new ClassNotFoundException(name, ex);
        }
    }
}

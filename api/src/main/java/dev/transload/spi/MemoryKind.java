/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.regex.Pattern;

/**
 * Kind of memory that holds the bytes of a region. A transport may define its own kind. Two kinds are equal if their
 * names are equal. The JVM may access only {@link #HOST} memory.
 *
 * @param name name of the kind: upper-case letters, digits and underscores, beginning with a letter.
 */
public record MemoryKind(String name)
{
    // Before the kinds, whose constructor uses it.
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]*");

    /** Host memory, which the JVM may read and write. */
    public static final MemoryKind HOST = new MemoryKind("HOST");

    /** Memory of an NVIDIA GPU. */
    public static final MemoryKind CUDA = new MemoryKind("CUDA");

    /** Memory of an Ascend NPU. */
    public static final MemoryKind ASCEND = new MemoryKind("ASCEND");

    /** Checks the name. */
    public MemoryKind
    {
        if (!NAME.matcher(name).matches())
        {
            throw new IllegalArgumentException("memory kind '" + name + "': must match " + NAME.pattern());
        }
    }

    /**
     * Returns whether the JVM may access this memory.
     *
     * @return true for {@link #HOST}.
     */
    public boolean isHost()
    {
        return HOST.equals(this);
    }

    @Override
    public String toString()
    {
        return name;
    }
}

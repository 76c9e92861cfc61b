/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.regex.Pattern;

/**
 * Where the bytes of a region live. An open type: a transport may bring a kind of its own, which two parties agree on
 * by its name alone. The JVM may look only into {@link #HOST} memory.
 *
 * @param name upper-case letters, digits and underscores, beginning with a letter.
 */
public record MemoryKind(String name)
{
    // Before the kinds, whose constructor uses it.
    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]*");

    /** Host memory, readable by the JVM. */
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
     * Whether the JVM may look into this memory.
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

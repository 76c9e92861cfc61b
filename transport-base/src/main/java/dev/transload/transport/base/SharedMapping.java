/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

/** A peer's file, mapped once for all workers of this transport that import it. */
final class SharedMapping
{
    private final MappedFile file;
    private int users;

    SharedMapping(final MappedFile file)
    {
        this.file = file;
    }

    MappedFile file()
    {
        return file;
    }

    int addUser()
    {
        return ++users;
    }

    int removeUser()
    {
        return --users;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.internal.files;

/** What a {@link FileServer} gives out. */
@FunctionalInterface
public interface FileSource
{
    /**
     * Open a file for another process.
     *
     * @param id    of what is asked for.
     * @param index of the file, of the several that this may have.
     * @return file, which the server closes; null where there is none (any more).
     */
    OpenFile open(int id, int index);
}

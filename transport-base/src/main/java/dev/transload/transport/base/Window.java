/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;

/** Memory of a peer where this process, or its device, sees it; open as long as its import, and closed with it. */
final class Window extends LocalRegion
{
    private final Import imported;

    Window(
        final RegionTable table,
        final Import imported,
        final MemoryKind kind,
        final int device,
        final RegionMemory memory)
    {
        super(table, kind, device, Access.LOCAL, imported.extent(), memory, null);
        this.imported = imported;
    }

    /** Its import is what ends it. */
    @Override
    public void close()
    {
        // The import may still be used, and asked for its window.
    }

    @Override
    public boolean isOpen()
    {
        return imported.isOpen();
    }
}

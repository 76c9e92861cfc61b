/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Stage;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import java.util.ArrayList;
import java.util.List;

/**
 * One region of memory that holds sections: remote ones one per (transport, kind), local ones one per kind. It is
 * registered with both stages' transports, as far as they move its kind, so that a ring filled by one is a source for
 * the other.
 */
public final class Arena implements AutoCloseable
{
    private final int id;
    private final MemoryKind kind;
    private final Stage owner;
    private final Access access;
    private final boolean isForBoth;
    private final List<Section> sections = new ArrayList<>();
    private final MemoryRegion[] regions = new MemoryRegion[Stage.values().length];
    private long length;

    Arena(final int id, final MemoryKind kind, final Stage owner, final Access access)
    {
        this(id, kind, owner, access, true);
    }

    private Arena(
        final int id, final MemoryKind kind, final Stage owner, final Access access, final boolean isForBoth)
    {
        this.isForBoth = isForBoth;
        this.id = id;
        this.kind = kind;
        this.owner = owner;
        this.access = access;
    }

    /** Memory that peers write to by one stage, and which no channel of the other one reads. */
    public static Arena ofOneStage(final int id, final MemoryKind kind, final Stage owner)
    {
        return new Arena(id, kind, owner, Access.REMOTE, false);
    }

    /** Number of this arena, equal on all ranks. */
    public int id()
    {
        return id;
    }

    /** Whether peers write to it. */
    public boolean isRemote()
    {
        return Access.REMOTE == access;
    }

    /** Stage whose transport exports it. */
    public Stage owner()
    {
        return owner;
    }

    /**
     * Region to use with a stage's channels.
     *
     * @return region, null where the stage's transport does not move the kind.
     */
    public MemoryRegion region(final Stage stage)
    {
        return regions[stage.ordinal()];
    }

    /**
     * Size.
     *
     * @return bytes.
     */
    public long length()
    {
        return length;
    }

    /**
     * Size that it will have.
     *
     * @return bytes.
     */
    public long planned()
    {
        layOut();
        return length;
    }

    /** Kind of its memory. */
    public MemoryKind kind()
    {
        return kind;
    }

    void add(final Section section)
    {
        sections.add(section);
    }

    void allocate(final Transports stages, final int device)
    {
        layOut();
        if (0 == length)
        {
            return;
        }

        final Transport exporter = stages.of(owner);
        final MemoryRegion region = exporter.allocate(kind, kind.isHost() ? 0 : device, length, access);
        regions[owner.ordinal()] = region;
        final Stage other = Stage.SCALE_OUT == owner ? Stage.SCALE_UP : Stage.SCALE_OUT;
        final Transport user = stages.of(other);
        if (null == user || stages.isShared())
        {
            regions[other.ordinal()] = region;
        }
        else if (isForBoth && stages.moves(other, kind))
        {
            regions[other.ordinal()] = user.register(kind, region.device(), region.address(), length, Access.LOCAL);
        }

        for (final Section section : sections)
        {
            section.attach();
        }
    }

    private void layOut()
    {
        // What the JVM looks into comes first, so that its offsets stay within one buffer's reach.
        long end = 0;
        for (final boolean isHostView : new boolean[]{true, false})
        {
            for (final Section section : sections)
            {
                if (section.isHostView() == isHostView)
                {
                    section.place(end);
                    end = Geometry.align(end + section.bytes(), Section.ALIGNMENT);
                }
            }
        }

        length = end;
    }

    @Override
    public void close()
    {
        final MemoryRegion owned = regions[owner.ordinal()];
        for (int i = 0; i < regions.length; i++)
        {
            if (null != regions[i] && owned != regions[i])
            {
                regions[i].close();
            }

            regions[i] = null;
        }

        if (null != owned)
        {
            owned.close();
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.loopback.LoopbackNetwork;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals and sections: a place for everything, and everything in a place of its own. */
class MapsTest
{
    private static Geometry geometry(final int nodes, final int locals, final int channels)
    {
        return new Geometry(new World(nodes, locals, 0), EngineConfig.from(ConfigFactory.parseString(
            "transload { nodes = " + nodes + ", ranks-per-node = " + locals + ", channels = " + channels +
            ", max-hidden = 64, max-topk = 4, max-experts = 32, " +
            "scale-out { transport = loopback, chunk = 2, ring = 5, credit-batch = 2 }, " +
            "scale-up { transport = loopback, chunk = 2, ring = 7, credit-batch = 2 } }")));
    }

    /** Those of staged rows are of streams or nodes, whichever are more: some of them are left. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 4, 3", "4, 1, 2", "2, 3, 5", "3, 2, 1"})
    void shouldGiveEverySignalAnIndexOfItsOwn(final int nodes, final int locals, final int channels)
    {
        final Geometry geometry = geometry(nodes, locals, channels);
        final BitSet out = new BitSet();
        final BitSet up = new BitSet();
        for (int source = 0; source < geometry.world().size(); source++)
        {
            take(out, SignalMap.notifyOut(source));
            take(out, SignalMap.confirmedOut(geometry, source));
        }

        for (int local = 0; local < locals; local++)
        {
            take(up, SignalMap.notifyUp(local));
            take(up, SignalMap.clearToSend(geometry, local));
            take(up, SignalMap.confirmedUp(geometry, local));
        }

        for (int channel = 0; channel < channels; channel++)
        {
            takeOut(out, geometry, channel);
            takeUp(up, geometry, channel);
        }

        assertEquals(SignalMap.outCount(geometry), out.cardinality());
        assertEquals(SignalMap.outCount(geometry), out.length());
        for (int channel = 0; channel < channels; channel++)
        {
            takeStaged(up, geometry, channel);
        }

        assertTrue(up.length() <= SignalMap.upCount(geometry));
    }

    private static void takeOut(final BitSet out, final Geometry geometry, final int channel)
    {
        for (int node = 0; node < geometry.nodes(); node++)
        {
            take(out, SignalMap.blockHeadOut(geometry, channel, node));
            take(out, SignalMap.rowHeadOut(geometry, channel, node));
            take(out, SignalMap.sumsOut(geometry, channel, node));
        }

        for (int stream = 0; stream < geometry.streams(); stream++)
        {
            take(out, SignalMap.blocksOut(geometry, channel, stream));
            take(out, SignalMap.rowsOut(geometry, channel, stream));
            take(out, SignalMap.sumHeadOut(geometry, channel, stream));
        }
    }

    private static void takeUp(final BitSet up, final Geometry geometry, final int channel)
    {
        for (int local = 0; local < geometry.locals(); local++)
        {
            for (int stream = 0; stream < geometry.streams(); stream++)
            {
                take(up, SignalMap.blocksUp(geometry, channel, local, stream));
                take(up, SignalMap.rowsUp(geometry, channel, local, stream));
                take(up, SignalMap.returnHeadUp(geometry, channel, local, stream));
                take(up, SignalMap.blockHeadUp(geometry, channel, local, stream));
                take(up, SignalMap.rowHeadUp(geometry, channel, local, stream));
                take(up, SignalMap.returnsUp(geometry, channel, local, stream));
            }
        }
    }

    private static void takeStaged(final BitSet up, final Geometry geometry, final int channel)
    {
        for (int node = 0; node < geometry.nodes(); node++)
        {
            take(up, SignalMap.stagedOut(geometry, channel, node));
            take(up, SignalMap.stagedSumsIn(geometry, channel, node));
        }

        for (int stream = 0; stream < geometry.streams(); stream++)
        {
            take(up, SignalMap.stagedSumsOut(geometry, channel, stream));
            take(up, SignalMap.stagedIn(geometry, channel, stream));
        }
    }

    private static void take(final BitSet taken, final int index)
    {
        assertTrue(!taken.get(index), () -> "index " + index + " is taken twice");
        taken.set(index);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, false", "1, 4, 3, false", "4, 1, 2, true", "2, 3, 5, false", "2, 3, 5, true"})
    void shouldKeepSectionsApart(
        final int nodes, final int locals, final int channels, final boolean isStaged) throws IllegalAccessException
    {
        final Geometry geometry = geometry(nodes, locals, channels);
        try (StagesRig rig = new StagesRig(geometry, isStaged, new LoopbackNetwork(0)))
        {
            final ArenaMap map = rig.map;
            for (final Arena arena : map.arenas())
            {
                long end = 0;
                for (final Section section : sectionsOf(map, arena))
                {
                    assertTrue(section.offset(0) >= end, () -> "a section begins within the one before it");
                    assertEquals(0, section.offset(0) % Section.ALIGNMENT);
                    end = section.offset(0) + section.bytes();
                }

                assertTrue(end <= arena.length());
            }
        }
    }

    private static List<Section> sectionsOf(final ArenaMap map, final Arena arena) throws IllegalAccessException
    {
        final List<Section> sections = new ArrayList<>();
        for (final Field field : ArenaMap.class.getFields())
        {
            if (Section.class == field.getType() && ((Section)field.get(map)).arena() == arena &&
                !sections.contains((Section)field.get(map)))
            {
                sections.add((Section)field.get(map));
            }
        }

        sections.sort(Comparator.<Section>comparingLong((section) -> section.offset(0))
            .thenComparingLong(Section::bytes));
        return sections;
    }
}

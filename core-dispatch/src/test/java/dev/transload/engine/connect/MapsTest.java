/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.engine.world.Geometry;
import dev.transload.spi.TransportRegistry;
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
            ", max-hidden = 64, max-topk = 4, max-experts = 32, dispatch.packing = always, " +
            "scale-out { transport = loopback, chunk = 2, ring = 5, credit-batch = 2 }, " +
            "scale-up { transport = loopback, chunk = 2, ring = 7, credit-batch = 2 } }")));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 4, 3", "4, 1, 2", "2, 3, 5", "3, 2, 1"})
    void shouldGiveEverySignalAnIndexOfItsOwn(final int nodes, final int locals, final int channels)
    {
        final Geometry geometry = geometry(nodes, locals, channels);
        final BitSet out = new BitSet();
        final BitSet up = new BitSet();
        for (int node = 0; node < nodes; node++)
        {
            take(out, SignalMap.notifyOut(node));
            for (int channel = 0; channel < channels; channel++)
            {
                take(out, SignalMap.laneOut(geometry, channel, node));
                take(out, SignalMap.dispatchTailOut(geometry, channel, node));
                take(out, SignalMap.dispatchHeadOut(geometry, channel, node));
                take(out, SignalMap.combineTailOut(geometry, channel, node));
                take(out, SignalMap.combineHeadOut(geometry, channel, node));
                take(up, SignalMap.dispatchStagedOut(geometry, channel, node));
                take(up, SignalMap.combineStagedOut(geometry, channel, node));
                take(up, SignalMap.combineStagedIn(geometry, channel, node));
            }
        }

        for (int local = 0; local < locals; local++)
        {
            take(up, SignalMap.notifyUp(local));
            take(up, SignalMap.exposureUp(geometry, local));
            for (int channel = 0; channel < channels; channel++)
            {
                takeUp(up, geometry, channel, local);
            }
        }

        assertEquals(SignalMap.outCount(geometry), out.cardinality());
        assertEquals(SignalMap.outCount(geometry), out.length());
        assertEquals(SignalMap.upCount(geometry), up.cardinality());
        assertEquals(SignalMap.upCount(geometry), up.length());
    }

    private static void takeUp(final BitSet up, final Geometry geometry, final int channel, final int local)
    {
        take(up, SignalMap.dispatchTailUp(geometry, channel, local));
        take(up, SignalMap.dispatchHeadUp(geometry, channel, local));
        take(up, SignalMap.dispatchListedUp(geometry, channel, local));
        for (int node = 0; node < geometry.nodes(); node++)
        {
            take(up, SignalMap.laneUp(geometry, channel, local, node));
            take(up, SignalMap.combineTailUp(geometry, channel, local, node));
            take(up, SignalMap.combineHeadUp(geometry, channel, local, node));
        }
    }

    private static void take(final BitSet taken, final int index)
    {
        assertTrue(!taken.get(index), () -> "index " + index + " is taken twice");
        taken.set(index);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 4, 3", "4, 1, 2", "2, 3, 5"})
    void shouldKeepSectionsApart(final int nodes, final int locals, final int channels) throws IllegalAccessException
    {
        final Geometry geometry = geometry(nodes, locals, channels);
        final ArenaMap map = new ArenaMap(geometry, false);
        try (Transports stages = new Transports(geometry.config(), geometry.world(), 1,
            TransportRegistry.of(List.of(new LoopbackNetwork(0))), (error) -> {}))
        {
            map.allocate(stages);
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

            map.close();
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

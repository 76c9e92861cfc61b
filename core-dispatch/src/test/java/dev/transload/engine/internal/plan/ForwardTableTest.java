/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.wire.MetadataBlock;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Places of a stream's rows against those that are counted one by one, block by block. */
class ForwardTableTest
{
    private static final int SEEDS = 400;
    private static final int FIRST_NODE_EXPERT = 12;

    private final RowKernels kernels = new HostRowKernelsProvider().open(0, Map.of("mode", "scalar"));

    @AfterEach
    void close()
    {
        kernels.close();
    }

    @Test
    void shouldPlaceRowsBehindThoseOfTheSameRankOrExpert()
    {
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final Random random = new Random(new SplittableRandom(seed).nextLong());
            new Stream(random, 1 + random.nextInt(4), "seed " + seed).verify(random.nextBoolean());
        }
    }

    /** Masks have two words then, or three. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 130})
    void shouldPlaceRowsOfMoreRanksThanAWordHasBits(final int locals)
    {
        for (long seed = 1; seed <= 4; seed++)
        {
            new Stream(new Random(seed), locals, "seed " + seed).verify(0 == seed % 2);
        }
    }

    @Test
    void shouldUseItsMemoryAgain()
    {
        final ForwardTable table = new ForwardTable(geometry(2, "auto"), null, 2, 2);
        table.begin(8, 2, 0, 4, kernels);
        final RowTable memory = table.table(0);
        table.begin(5, 2, 0, 4, kernels);
        assertSame(memory, table.table(0));
        assertEquals(0, table.placed());
        assertEquals(5, table.rows());
        assertEquals(0, table.planned());
    }

    private static Geometry geometry(final int locals, final String memory)
    {
        return new Geometry(new World(1, locals, 0), EngineConfig.from(ConfigFactory.parseString(
            "transload { ranks-per-node = " + locals + ", channels = 1, table-memory = " + memory + " }")));
    }

    /** A stream of random rows; expectations are made from a list of all places. */
    private final class Stream
    {
        private final Random random;
        private final String where;
        private final int locals;
        private final int maskWords;
        private final int localExperts;
        private final int topk;
        private final int rows;
        private final int slots;
        private final boolean isByToken;
        private final int[][] experts;
        private final int[] tokens;
        private boolean isExpanded;

        private Stream(final Random random, final int locals, final String where)
        {
            this.random = random;
            this.locals = locals;
            this.maskWords = (locals + Long.SIZE - 1) / Long.SIZE;
            this.localExperts = 1 + random.nextInt(3);
            this.topk = 1 + random.nextInt(4);
            this.rows = random.nextInt(40);
            this.slots = 1 + random.nextInt(9);
            this.isByToken = random.nextBoolean();
            this.where = where + ", " + locals + " ranks of " + localExperts + " experts, K=" + topk;
            this.experts = new int[rows][topk];
            this.tokens = new int[rows];
            for (int row = 0, token = 0; row < rows; row++)
            {
                token += 1 + random.nextInt(3);
                tokens[row] = token;
                choose(experts[row]);
            }
        }

        /** One expert of the node at least, no expert twice; others of other nodes, or none. */
        private void choose(final int[] chosen)
        {
            final List<Integer> all = new ArrayList<>();
            for (int expert = 0; expert < locals * localExperts; expert++)
            {
                all.add(FIRST_NODE_EXPERT + expert);
            }

            for (int k = 0; k < topk; k++)
            {
                final boolean isHere = (0 == k || random.nextBoolean()) && !all.isEmpty();
                chosen[k] = isHere ? all.remove(random.nextInt(all.size())) :
                    random.nextBoolean() ? -1 : random.nextBoolean() ? FIRST_NODE_EXPERT - 1 - k :
                    FIRST_NODE_EXPERT + locals * localExperts + k;
            }

            final int other = random.nextInt(topk);
            final int first = chosen[0];
            chosen[0] = chosen[other];
            chosen[other] = first;
        }

        private boolean isHere(final int expert)
        {
            return expert >= FIRST_NODE_EXPERT && expert < FIRST_NODE_EXPERT + locals * localExperts;
        }

        /** Index of a prefix that an expert counts for. */
        private int prefixOf(final int expert)
        {
            return (expert - FIRST_NODE_EXPERT) / (isExpanded ? 1 : localExperts);
        }

        private void verify(final boolean areExpanded)
        {
            isExpanded = areExpanded;
            final int prefixes = isExpanded ? locals * localExperts : locals;
            final int[] starts = random.ints(prefixes, 0, 1000).toArray();
            final int[] before = random.ints(prefixes, 0, 50).toArray();
            final boolean isLong = random.nextBoolean();
            final Geometry geometry = geometry(locals, isLong ? 1 + random.nextInt(400) + " B" : "auto");
            final ForwardTable table =
                new ForwardTable(geometry, layout(geometry), locals, locals * localExperts);
            table.begin(rows, topk, isExpanded ? localExperts : 0, isByToken ? 0 : slots, kernels);
            final List<int[]> places = new ArrayList<>();
            int row = 0;
            while (row < rows)
            {
                final int count = Math.min(rows - row, 1 + random.nextInt(12));
                final MetadataBlock block = block(row, count, before);
                table.plan(block, starts, FIRST_NODE_EXPERT);
                for (int i = row; i < row + count; i++)
                {
                    places.add(place(i, starts, before));
                }

                row += count;
                assertEquals(row, table.planned(), where);
            }

            compare(table, places);
            // Once more, as a later call does.
            table.rewind();
            compare(table, places);
        }

        /** What the tokens selected of which the stream has those that go to the node. */
        private SendLayout layout(final Geometry geometry)
        {
            final int count = 0 == rows ? 0 : tokens[rows - 1] + 1;
            final ByteBuffer idx = ByteBuffer.allocate(count * topk * Long.BYTES).order(ByteOrder.nativeOrder());
            for (int token = 0, row = 0; token < count; token++)
            {
                final boolean isInStream = token == tokens[row];
                for (int k = 0; k < topk; k++)
                {
                    idx.putLong(isInStream ? experts[row][k] : -1);
                }

                row += isInStream ? 1 : 0;
            }

            final SendLayout layout = new SendLayout(geometry);
            layout.compute(idx.flip(), count, topk, FIRST_NODE_EXPERT + locals * localExperts + topk);
            return layout;
        }

        private MetadataBlock block(final int first, final int count, final int[] before)
        {
            final ByteBuffer memory = BufferUtil.allocateDirectAligned(1 << 16, Long.BYTES);
            final MetadataBlock block = new MetadataBlock(maskWords);
            block.begin(BufferUtil.address(memory), 1, first, count, rows, before.length, topk, false);
            for (int i = 0; i < before.length; i++)
            {
                block.prefix(i, before[i]);
            }

            for (int i = 0; i < count; i++)
            {
                UnsafeApi.putInt(block.tokens() + (long)i * Integer.BYTES, tokens[first + i]);
                for (int k = 0; k < topk; k++)
                {
                    final int expert = experts[first + i][k];
                    UnsafeApi.putInt(block.experts() + (long)(i * topk + k) * Integer.BYTES, expert);
                }

                for (int word = 0; word < maskWords; word++)
                {
                    UnsafeApi.putLong(block.masks() + (long)(i * maskWords + word) * Long.BYTES,
                        mask(first + i, word));
                }
            }

            return block;
        }

        private long mask(final int row, final int word)
        {
            long mask = 0;
            for (final int expert : experts[row])
            {
                final int local = (expert - FIRST_NODE_EXPERT) / localExperts;
                mask |= isHere(expert) && word == local / Long.SIZE ? 1L << local % Long.SIZE : 0;
            }

            return mask;
        }

        /** Output rows of a row: of each rank ascending, or of each selected expert in the order of selection. */
        private int[] place(final int row, final int[] starts, final int[] before)
        {
            final List<Integer> found = new ArrayList<>();
            for (int local = 0; local < locals && !isExpanded; local++)
            {
                if (0 != (mask(row, local / Long.SIZE) & 1L << local % Long.SIZE))
                {
                    found.add(local);
                    found.add(starts[local] + before[local]++);
                }
            }

            for (int k = 0; k < topk && isExpanded; k++)
            {
                if (isHere(experts[row][k]))
                {
                    final int at = prefixOf(experts[row][k]);
                    found.add(at / localExperts);
                    found.add(starts[at] + before[at]++);
                }
            }

            return found.stream().mapToInt(Integer::intValue).toArray();
        }

        private void compare(final ForwardTable table, final List<int[]> places)
        {
            final int[] rowsTo = new int[locals];
            final int[] placesOf = new int[locals];
            assertEquals(rows, table.rows(), where);
            long read = 0;
            for (int row = 0; row < rows; row++)
            {
                while (table.placed() <= row)
                {
                    assertTrue(table.place(read) > 0, where);
                }

                final int index = table.index(row);
                final RowTable part = table.table(row);
                assertTrue(table.end(row) > row && part.rows() > index, where);
                assertEquals(isByToken ? tokens[row] : row % slots, part.row(index), where);
                assertEquals(part.row(index), table.own(row), where);
                final int[] wanted = places.get(row);
                assertArrayEquals(wanted, table.placesAt(row), where);
                final int first = part.firstEntry(index);
                assertEquals(wanted.length / 2, part.firstEntry(index + 1) - first, where);
                assertTrue(part.mostEntries() >= wanted.length / 2 && part.greatestRow() >= part.row(index), where);
                for (int i = 0; i < wanted.length / 2; i++)
                {
                    assertEquals(wanted[2 * i], part.region(first + i), where);
                    assertEquals(wanted[2 * i + 1], part.entryRow(first + i), where);
                    assertTrue(part.greatestRow(wanted[2 * i]) >= wanted[2 * i + 1], where);
                    placesOf[wanted[2 * i]]++;
                }

                for (int word = 0; word < maskWords; word++)
                {
                    assertEquals(mask(row, word), table.mask(row, word), where);
                    for (long bits = mask(row, word); 0 != bits; bits &= bits - 1)
                    {
                        rowsTo[word * Long.SIZE + Long.numberOfTrailingZeros(bits)]++;
                    }
                }

                table.read(row + 1, ++read);
            }

            for (int local = 0; local < locals; local++)
            {
                assertEquals(rowsTo[local], table.rowsTo(local), where);
                assertEquals(placesOf[local], table.placesOf(local), where);
            }
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.transload.engine.wire.MetadataBlock;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.nio.ByteBuffer;
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
        final ForwardTable table = new ForwardTable(1, 2, 2);
        table.begin(8, 2, false, kernels);
        final RowTable memory = table.table();
        table.begin(5, 2, false, kernels);
        assertSame(memory, table.table());
        assertEquals(0, table.table().rows());
        assertEquals(5, table.rows());
        assertEquals(0, table.planned());
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
                    random.nextBoolean() ? -1 : random.nextBoolean() ? FIRST_NODE_EXPERT - 1 :
                    FIRST_NODE_EXPERT + locals * localExperts;
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
            final ForwardTable table = new ForwardTable(maskWords, locals, locals * localExperts);
            table.begin(rows, topk, isExpanded, kernels);
            final List<int[]> places = new ArrayList<>();
            int row = 0;
            while (row < rows)
            {
                final int count = Math.min(rows - row, 1 + random.nextInt(12));
                final MetadataBlock block = block(row, count, before);
                table.plan(block, starts, isByToken ? 0 : slots, localExperts, FIRST_NODE_EXPERT);
                for (int i = row; i < row + count; i++)
                {
                    places.add(place(i, starts, before));
                }

                row += count;
                assertEquals(row, table.planned(), where);
            }

            compare(table, places);
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
            assertEquals(rows, table.table().rows(), where);
            for (int row = 0; row < rows; row++)
            {
                assertEquals(isByToken ? tokens[row] : row % slots, table.table().row(row), where);
                final int[] wanted = places.get(row);
                final int first = table.table().firstEntry(row);
                assertEquals(wanted.length / 2, table.table().firstEntry(row + 1) - first, where);
                for (int i = 0; i < wanted.length / 2; i++)
                {
                    assertEquals(wanted[2 * i], table.table().region(first + i), where);
                    assertEquals(wanted[2 * i + 1], table.table().entryRow(first + i), where);
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
            }

            for (int local = 0; local < locals; local++)
            {
                assertEquals(rowsTo[local], table.rowsTo(local), where);
                assertEquals(placesOf[local], table.placesOf(local), where);
            }
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.gate.Thorough;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ranks as processes of their own. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class JGroupsRendezvousIT
{
    private final List<RankHandle> ranks = new ArrayList<>();

    @AfterEach
    void endAll()
    {
        ranks.forEach(RankHandle::kill);
    }

    @Test
    void shouldFormGatherAndCloseInOrder() throws Exception
    {
        formGatherAndClose(4);
    }

    @Test
    @Thorough("four processes do so in the gate")
    void shouldFormGatherAndCloseInOrderWithSixteenProcesses() throws Exception
    {
        formGatherAndClose(16);
    }

    private void formGatherAndClose(final int size) throws Exception
    {
        start(size, "127.0.0.1:" + JGroupsRendezvousTest.freePort());
        for (final RankHandle rank : ranks)
        {
            await(rank, "FORMED");
        }
        for (final RankHandle rank : ranks)
        {
            rank.tell("topic");
        }
        final String all = IntStream.range(0, size).mapToObj(r -> "from" + r).collect(Collectors.joining(","));
        for (final RankHandle rank : ranks)
        {
            assertEquals("GATHERED " + all, await(rank, "GATHERED"));
        }
        for (final RankHandle rank : ranks)
        {
            rank.tell("close");
        }
        for (final RankHandle rank : ranks)
        {
            await(rank, "CLOSED");
            assertEquals(0, rank.exitCode());
            assertTrue(rank.output().stream().noneMatch(line -> line.startsWith("LOST")), rank.output().toString());
            assertEquals(3, rank.output().size(), () -> "only what the rank says itself: " + rank.output());
        }
    }

    @Test
    void shouldReportAKilledProcess() throws Exception
    {
        reportAKilledProcess(0);
    }

    @Test
    @Thorough("the first process, which is special to JGroups, is killed in the gate")
    void shouldReportAKilledProcessThatIsNotTheFirst() throws Exception
    {
        reportAKilledProcess(2);
    }

    private void reportAKilledProcess(final int killed) throws Exception
    {
        start(4, IntStream.range(0, 4).mapToObj(r -> "127.0.0.1:" + JGroupsRendezvousTest.freePort())
            .collect(Collectors.joining(",")));
        for (final RankHandle rank : ranks)
        {
            await(rank, "FORMED");
        }
        ranks.get(killed).kill();
        for (int rank = 0; rank < 4; rank++)
        {
            if (rank != killed)
            {
                assertEquals("LOST " + killed, await(ranks.get(rank), "LOST").substring(0, "LOST 0".length()));
                ranks.get(rank).tell("close");
            }
        }
        for (int rank = 0; rank < 4; rank++)
        {
            if (rank != killed)
            {
                await(ranks.get(rank), "CLOSED");
                assertEquals(0, ranks.get(rank).exitCode());
            }
        }
    }

    /** Rank 0 is the harder one: nobody but it listens at the address that all know. */
    @Test
    void shouldTakeInANewProcessOfAKilledOne() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        start(3, address);
        for (final RankHandle rank : ranks)
        {
            await(rank, "FORMED");
        }
        ranks.get(0).kill();
        ranks.get(0).exitCode();
        ranks.set(0, RankHandle.start(0, 3, address));
        await(ranks.get(0), "FORMED");
        await(ranks.get(1), "RETURNED 0");
        await(ranks.get(2), "RETURNED 0");
        for (final RankHandle rank : ranks)
        {
            rank.tell("topic");
        }
        for (final RankHandle rank : ranks)
        {
            assertEquals("GATHERED from0,from1,from2", await(rank, "GATHERED"));
            rank.tell("close");
        }
        for (final RankHandle rank : ranks)
        {
            await(rank, "CLOSED");
        }
    }

    @Test
    void shouldRefuseASecondProcessOfARank() throws Exception
    {
        final String address = "127.0.0.1:" + JGroupsRendezvousTest.freePort();
        start(2, address);
        await(ranks.get(0), "FORMED");
        await(ranks.get(1), "FORMED");
        final RankHandle second = RankHandle.start(1, 2, address);
        ranks.add(second);
        final String sentence = await(second, "FAILED");
        assertTrue(sentence.startsWith("FAILED DUPLICATE_RANK"), sentence);
        assertTrue(sentence.contains("(pid " + ranks.get(1).pid() + " on "), sentence);
        assertTrue(sentence.contains("(pid " + second.pid() + " on "), sentence);
    }

    /** Who is at fault shows in what the others said. */
    private String await(final RankHandle rank, final String prefix) throws InterruptedException
    {
        try
        {
            return rank.await(prefix);
        }
        catch (final AssertionError error)
        {
            throw new AssertionError(error.getMessage() + "\nall ranks said: " +
                ranks.stream().map(RankHandle::output).toList(), error);
        }
    }

    private void start(final int size, final String address) throws IOException
    {
        for (int rank = size - 1; rank >= 0; rank--)
        {
            ranks.add(0, RankHandle.start(rank, size, address));
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LossesTest
{
    private static final long GRACE_NS = 1000;

    private final Losses losses = new Losses(4, Duration.ofNanos(GRACE_NS));

    @Test
    void shouldFindNothingWrongWithRanksThatAreDone()
    {
        losses.formed();
        losses.done(0);

        assertEquals(Optional.empty(), losses.verdict(GRACE_NS));
        assertEquals(Long.MAX_VALUE, losses.leftNs(GRACE_NS));
    }

    @Test
    void shouldWaitUntilAllOthersHaveNoticedADeath()
    {
        losses.formed();
        losses.gone(2, 5);
        losses.told(0, List.of(2), 6);
        losses.done(1);
        assertEquals(Optional.empty(), losses.verdict(7), "rank 3 may be lost, too");
        losses.told(3, List.of(), 8);

        assertEquals(ranks(2), losses.verdict(9));
        assertEquals(5, losses.sinceNs());
    }

    @Test
    void shouldTakeForLostWhomTheOthersNameAndWhoSaysNothing()
    {
        losses.formed();
        losses.told(0, List.of(1), 5);
        losses.told(2, List.of(1), 5);
        losses.told(3, List.of(1), 5);

        assertEquals(ranks(1), losses.verdict(6));
    }

    /** One that closed its rendezvous when it noticed the loss may be named by the others. */
    @Test
    void shouldNotTakeForLostWhoSaysOfItselfThatItIsThere()
    {
        losses.formed();
        losses.gone(3, 5);
        losses.told(1, List.of(), 5);
        losses.told(0, List.of(1, 3), 6);
        losses.told(2, List.of(1, 3), 6);

        assertEquals(ranks(3), losses.verdict(7));
    }

    @Test
    void shouldTakeForLostWhoSaysNothingInTime()
    {
        losses.formed();
        losses.told(0, List.of(), 5);
        losses.told(1, List.of(), 6);
        losses.told(2, List.of(), 7);
        assertEquals(1, losses.leftNs(4 + GRACE_NS));
        assertEquals(Optional.empty(), losses.verdict(4 + GRACE_NS));

        assertEquals(0, losses.leftNs(5 + GRACE_NS));
        assertEquals(ranks(3), losses.verdict(5 + GRACE_NS));
    }

    @Test
    void shouldLetAllMeetAgainIfNobodyIsLost()
    {
        losses.formed();
        IntStream.range(0, 4).forEach((rank) -> losses.told(rank, List.of(), 5));

        assertEquals(ranks(), losses.verdict(6));
    }

    @Test
    void shouldNotWaitForOthersBeforeTheWorldIsFormed()
    {
        losses.gone(1, 5);

        assertEquals(ranks(1), losses.verdict(6));
    }

    /** That which it lost is gone in a moment. */
    @Test
    void shouldWaitForADeathThatIsToldBeforeTheWorldIsFormed()
    {
        losses.told(2, List.of(), 5);

        assertEquals(Optional.empty(), losses.verdict(6));
        assertEquals(ranks(), losses.verdict(5 + GRACE_NS));
    }

    @Test
    void shouldForgetAWorldThatIsOver()
    {
        losses.formed();
        losses.gone(2, 5);
        losses.begin();

        assertEquals(Optional.empty(), losses.verdict(5 + GRACE_NS));
    }

    private static Optional<BitSet> ranks(final int... ranks)
    {
        final BitSet set = new BitSet();
        IntStream.of(ranks).forEach(set::set);
        return Optional.of(set);
    }
}

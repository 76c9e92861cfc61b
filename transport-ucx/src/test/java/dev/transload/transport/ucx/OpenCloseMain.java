/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;

/** What {@link OpenCloseIT} has done in a JVM of its own, whose heap has its full size from the start. */
final class OpenCloseMain
{
    static final String TRANSPORTS = "transports";
    static final String CHANNELS = "channels";

    private static final int WARM_UP = 40;
    private static final int CYCLES = 200;

    /** The JVM's own memory may grow by this much; a leak of what one cycle allocates would be more. */
    private static final long MAX_GROWTH = 32L << 20;

    /** UCX keeps the two ends of a TCP connection, whose endpoint is closed, as long as their workers. */
    private static final int SOCKETS_PER_CHANNEL = 2;

    /** Files and threads that the JVM opens as it pleases. */
    private static final int SLACK = 16;

    private OpenCloseMain()
    {
    }

    /**
     * Run.
     *
     * @param args what to open and close, and by which transports of UCX.
     */
    public static void main(final String[] args)
    {
        repeat(WARM_UP, args[1]);
        final ProcessFootprint before = ProcessFootprint.now();
        if (CHANNELS.equals(args[0]))
        {
            openChannels(args[1]);
        }
        else
        {
            repeat(CYCLES, args[1]);
        }

        final ProcessFootprint after = ProcessFootprint.now();
        assertEquals(before.segments(), after.segments(), "shared memory");
        assertTrue(after.files() <= before.files() + SLACK, () -> before + " " + after);
        assertTrue(after.threads() <= before.threads() + SLACK, () -> before + " " + after);
        assertTrue(after.residentBytes() <= before.residentBytes() + MAX_GROWTH, () -> before + " " + after);
    }

    private static void openChannels(final String tls)
    {
        final Map<String, String> options = Map.of("tls", tls, "direct", "never");
        try (Rank near = new Rank(0, options); Rank far = new Rank(1, options))
        {
            final long filesOfTwoRanks = ProcessFootprint.now().files();
            for (int i = 0; i < CYCLES; i++)
            {
                final Rank.Lane lane = near.lane(far);
                lane.exchange(i);
                lane.close();
            }

            final long files = ProcessFootprint.now().files();
            assertTrue(files <= filesOfTwoRanks + SOCKETS_PER_CHANNEL * CYCLES + SLACK, () -> files + " files");
        }
    }

    private static void repeat(final int cycles, final String tls)
    {
        final Map<String, String> options = Map.of("tls", tls);
        for (int i = 0; i < cycles; i++)
        {
            try (Rank near = new Rank(0, options); Rank far = new Rank(1, options))
            {
                near.lane(far).exchange(1);
                near.lane(near).exchange(2);
                far.lane(near).exchange(3);
            }
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.spi.Availability;
import dev.transload.spi.Channel;
import dev.transload.spi.TransportConfig;

import java.util.HashMap;
import java.util.Map;

/**
 * What a fresh process sees of the driver that its environment and options describe. The first argument is
 * {@code probe}, or {@code put}: one put between two ranks. The others are options, {@code key=value}.
 */
final class ScenarioMain
{
    private ScenarioMain()
    {
    }

    /**
     * Run.
     *
     * @param args as said above.
     */
    public static void main(final String[] args)
    {
        final Map<String, String> options = new HashMap<>();
        for (int i = 1; i < args.length; i++)
        {
            final int at = args[i].indexOf('=');
            options.put(args[i].substring(0, at), args[i].substring(at + 1));
        }

        System.out.println("probe".equals(args[0]) ? probe(options) : put(options));
    }

    private static String probe(final Map<String, String> options)
    {
        final Availability verdict =
            new NvlinkTransportProvider().probe(TransportConfig.builder().options(options).build());
        return verdict instanceof Availability.Unavailable ?
            "unavailable: " + ((Availability.Unavailable)verdict).reason() :
            "available: " + ((Availability.Available)verdict).capabilities().version();
    }

    private static String put(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options))
        {
            final Channel channel = pair.channel;
            channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
            channel.flush();
            pair.await(() -> null != channel.failure() || channel.deliveredPosition() >= 2);
            return null == channel.failure() ? "delivered" : "failed: " + channel.failure().getMessage() + "; then " +
                channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
        }
    }
}

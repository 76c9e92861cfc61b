/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.engine.World;
import dev.transload.reference.E4m3;
import dev.transload.reference.Routing;

/**
 * Bytes of rows that one rank puts to others in all calls of an iteration, by what the routing says; those that stay on
 * the rank don't count.
 *
 * @param dispatchScaleOutBytes to other nodes.
 * @param dispatchScaleUpBytes  within the node.
 * @param combineScaleOutBytes  to other nodes.
 * @param combineScaleUpBytes   within the node.
 */
record CallTraffic(
    long dispatchScaleOutBytes, long dispatchScaleUpBytes, long combineScaleOutBytes, long combineScaleUpBytes)
{
    static CallTraffic of(final CallInput input, final World world)
    {
        final int rank = world.rank();
        final int hidden = input.input().hidden();
        final long answerBytes = (long)hidden * Short.BYTES;
        final long rowBytes =
            input.isFp8() ? hidden + (long)hidden / E4m3.GROUP * Float.BYTES : answerBytes;
        final long[] sent = new long[input.ranks()];
        final long[] answered = new long[input.ranks()];
        for (int source = 0; source < input.ranks(); source++)
        {
            final Routing routing = input.input().world().routing(source);
            for (final long expert : routing.idx())
            {
                final int target = expert < 0 ? source : (int)(expert / input.expertsPerRank());
                if (source == rank && target != rank)
                {
                    sent[target] += rowBytes;
                }
                else if (source != rank && target == rank)
                {
                    answered[source] += answerBytes;
                }
            }
        }

        return new CallTraffic(
            sum(sent, world, false), sum(sent, world, true), sum(answered, world, false), sum(answered, world, true));
    }

    private static long sum(final long[] bytes, final World world, final boolean isWithinNode)
    {
        long sum = 0;
        for (int peer = 0; peer < bytes.length; peer++)
        {
            if (isWithinNode == (world.nodeOf(peer) == world.node()))
            {
                sum += bytes[peer];
            }
        }

        return sum;
    }
}

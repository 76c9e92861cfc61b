/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import dev.transload.engine.internal.connect.EngineScope;
import dev.transload.engine.internal.connect.Packing;
import dev.transload.engine.internal.connect.Transports;
import dev.transload.engine.internal.world.Stage;
import dev.transload.kernels.StepKernels;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Who does the steps of an engine, as all ranks agree when they open: devices, or the calling threads.
 *
 * @param blocks number of blocks of a step on the device, 0 where threads do the steps.
 * @param reason why threads do them, null where devices do.
 */
record StepChoice(int blocks, String reason)
{
    /** More blocks make no step shorter. */
    private static final int MOST_BLOCKS = 64;

    /** What a rank says of itself: how many blocks it may have, by sessions that share its device. */
    private record Offer(String reason, String device, int[] blocks)
    {
    }

    boolean isByDevice()
    {
        return null == reason;
    }

    /** For logs and reports. */
    String describe()
    {
        return isByDevice() ? "device, " + blocks + " blocks" : "thread: " + reason;
    }

    /**
     * Agree with all ranks.
     *
     * @param config settings.
     * @param scope scope of the engine.
     * @param shape  sizes, but for blocks.
     * @param routes routes of all ranks.
     * @param stages transports.
     * @param steps steps of the device, null where it has none.
     * @return equal on all ranks.
     */
    static StepChoice agree(
        final LowLatencyConfig config, final EngineScope scope, final Shape shape, final Routes routes,
        final Transports stages, final StepKernels steps)
    {
        final Packing mine = new Packing();
        final String obstacle = obstacle(config, scope.world().rank(), shape, routes, stages, steps);
        mine.put((null == obstacle ? "" : obstacle).getBytes(StandardCharsets.UTF_8));
        mine.put((null == steps ? "" : steps.device()).getBytes(StandardCharsets.UTF_8));
        for (int sharers = 1; sharers <= shape.ranks(); sharers++)
        {
            mine.put(null == steps ? 0 : steps.mostBlocks(sharers * Shape.LANES));
        }

        final List<Offer> offers = new ArrayList<>();
        for (final ByteBuffer bytes : scope.allGather("steps", mine.toBuffer(), config.common().openTimeout()))
        {
            offers.add(read(new Packing(bytes), shape.ranks()));
        }

        return of(offers);
    }

    private static Offer read(final Packing theirs, final int ranks)
    {
        final String reason = StandardCharsets.UTF_8.decode(theirs.get()).toString();
        final String device = StandardCharsets.UTF_8.decode(theirs.get()).toString();
        final int[] blocks = new int[ranks];
        for (int i = 0; i < ranks; i++)
        {
            blocks[i] = theirs.getInt();
        }

        return new Offer(reason, device, blocks);
    }

    private static StepChoice of(final List<Offer> offers)
    {
        int blocks = MOST_BLOCKS;
        for (int rank = 0; rank < offers.size(); rank++)
        {
            final Offer offer = offers.get(rank);
            if (!offer.reason().isEmpty())
            {
                return new StepChoice(0, "rank " + rank + ": " + offer.reason());
            }

            final int sharers =
                (int)offers.stream().filter((other) -> other.device().equals(offer.device())).count();
            blocks = Math.min(blocks, offer.blocks()[sharers - 1]);
            if (blocks < 1)
            {
                return new StepChoice(0, sharers + " ranks share the device of rank " + rank +
                    ", which has no room for blocks of all of them");
            }
        }

        return new StepChoice(blocks, null);
    }

    /** What keeps this rank's device from the steps, null where nothing does. */
    private static String obstacle(
        final LowLatencyConfig config, final int ownRank, final Shape shape, final Routes routes,
        final Transports stages, final StepKernels steps)
    {
        if (null == steps)
        {
            return config.common().payloadKind() + " memory has no device steps";
        }

        final Capabilities up = stages.of(Stage.SCALE_UP).capabilities();
        if (!up.has(Capability.WINDOWS) || !up.remoteKinds().contains(config.common().payloadKind()))
        {
            return "transport " + up.transport() + " has no windows to " + config.common().payloadKind() + " memory";
        }

        for (int rank = 0; rank < shape.ranks(); rank++)
        {
            final String reason = rank == ownRank ? null : routes.obstacleOfDevice(rank);
            if (null != reason)
            {
                return reason;
            }
        }

        return steps.refusal(shape.steps(), routes.farOfDevice());
    }
}

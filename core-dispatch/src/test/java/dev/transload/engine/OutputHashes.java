/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.transload.engine.RecordedScenario.Fabric;
import dev.transload.engine.RecordedScenario.Output;
import dev.transload.kernels.ForeignEvent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Calls of all ranks of a scenario, and a hash of each kind of output: of what the API promises, nothing else. A
 * dispatch and a combine; then a cached dispatch of other rows, which is to deliver rows and scales, a combine with its
 * handle, which is to give what the first one gave, and another cached dispatch.
 */
final class OutputHashes
{
    private static final int HEX_DIGITS = 16;
    private static final int SIGN_OF_BF16 = 0x8000;
    private static final int SIGN_OF_FP8 = 0x80;

    private final RecordedScenario recorded;
    private final Scenario scenario;
    private final EngineWorld world;
    private final Map<String, String> hashes = new LinkedHashMap<>();

    private OutputHashes(final RecordedScenario recorded, final EngineWorld world)
    {
        this.recorded = recorded;
        this.scenario = recorded.scenario();
        this.world = world;
    }

    /**
     * Run a scenario.
     *
     * @param recorded   scenario.
     * @param isVerified whether outputs are held to the reference, too.
     * @return hashes by output.
     */
    static Map<String, String> of(final RecordedScenario recorded, final boolean isVerified)
    {
        try (EngineWorld world = recorded.open())
        {
            return new OutputHashes(recorded, world).run(isVerified);
        }
    }

    private Map<String, String> run(final boolean isVerified)
    {
        if (!scenario.isTopkOnDevice || scenario.kind.isHost())
        {
            hash("layout", this::layout);
        }

        final List<DispatchResult> results = dispatch((rank) -> request(rank).topk(
            world.tensors.get(rank).idx, recorded.hasWeights() ? world.tensors.get(rank).weights : null,
            scenario.experts).layout(scenario.layout).expertAlignment(scenario.alignment));
        hash("counts", (rank) -> counts(results.get(rank)));
        hashRows("", results);
        hash("topk", (rank) -> bytes(rank, results.get(rank), results.get(rank).output().topkIdx()));
        hash("weights", (rank) -> weights(bytes(rank, results.get(rank), results.get(rank).output().topkWeights())));
        hash("sources", (rank) -> bytes(rank, results.get(rank), results.get(rank).output().srcTokenIdx()));
        final List<CombineRequest> requests = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            requests.add(world.combineRequest(rank, results.get(rank)));
        }

        final List<CombineResult> combined = combine(requests);
        hashCombined("", combined);
        if (isVerified)
        {
            world.verifyDispatch(results, recorded.hasWeights());
            verifyCombined(combined);
        }

        runCached(results, requests, isVerified);
        return hashes;
    }

    private void runCached(
        final List<DispatchResult> results, final List<CombineRequest> requests, final boolean isVerified)
    {
        final List<DispatchResult> cached = dispatchCached("cached ", results, isVerified);
        final List<CombineRequest> repeated = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            final CombineRequest first = requests.get(rank);
            repeated.add(CombineRequest.of(cached.get(rank).handle(), first.x()).topkWeights(first.topkWeights())
                .biases(first.bias0(), first.bias1()));
        }

        final List<CombineResult> combined = combine(repeated);
        hashCombined("cached ", combined);
        if (isVerified)
        {
            verifyCombined(combined);
        }

        dispatchCached("second cached ", results, isVerified);
    }

    private List<DispatchResult> dispatchCached(
        final String prefix, final List<DispatchResult> results, final boolean isVerified)
    {
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            changeRows(rank);
        }

        final List<DispatchResult> cached = dispatch((rank) -> request(rank).cached(results.get(rank).handle()));
        hashRows(prefix, cached);
        if (isVerified)
        {
            world.verifyRows(cached);
        }

        return cached;
    }

    private void verifyCombined(final List<CombineResult> combined)
    {
        for (int rank = 0; rank < combined.size(); rank++)
        {
            world.verifyCombined(rank, combined.get(rank));
        }
    }

    private DispatchRequest request(final int rank)
    {
        final RankTensors own = world.tensors.get(rank);
        return scenario.isFp8 ? DispatchRequest.of(own.x, own.scales) : DispatchRequest.of(own.x);
    }

    /** Other rows than before, so that what was delivered before is not what is to be delivered. */
    private void changeRows(final int rank)
    {
        final RankTensors own = world.tensors.get(rank);
        if (scenario.isFp8)
        {
            final byte[] q = world.data.q[rank];
            final float[] scales = world.data.scales[rank];
            for (int i = 0; i < q.length; i++)
            {
                q[i] ^= (byte)SIGN_OF_FP8;
            }

            for (int i = 0; i < scales.length; i++)
            {
                scales[i] *= 2;
            }

            own.write(own.x, q);
            own.write(own.scales, RankTensors.toBytes(scales));
        }
        else
        {
            final short[] x = world.data.x[rank];
            for (int i = 0; i < x.length; i++)
            {
                x[i] ^= (short)SIGN_OF_BF16;
            }

            own.write(own.x, RankTensors.toBytes(x));
        }
    }

    private List<DispatchResult> dispatch(final IntFunction<DispatchRequest> requests)
    {
        final List<DispatchRequest> withOutput = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            final RankTensors own = world.tensors.get(rank);
            final DispatchRequest request = requests.apply(rank);
            switch (recorded.output())
            {
                case CALLBACK -> request.allocator((shape) -> spoilt(own, own.output(shape)));
                case WORST_CASE -> request.output(spoilt(own, worstCase(own)));
                default -> request.output(null);
            }

            withOutput.add(request);
        }

        return between(
            (rank, made, done) -> world.engines.get(rank).dispatch(withOutput.get(rank).waitFor(made).record(done)));
    }

    private List<CombineResult> combine(final List<CombineRequest> requests)
    {
        return between((rank, made, done) ->
        {
            final CombineRequest request = requests.get(rank).waitFor(made).record(done);
            if (Output.ENGINE != recorded.output())
            {
                final RankTensors own = world.tensors.get(rank);
                request.output(own.empty(DataType.BF16, scenario.tokens[rank], scenario.hidden),
                    scenario.isWeighted ? own.topk(DataType.F32, scenario.tokens[rank], scenario.topk) : null);
            }

            return world.engines.get(rank).combine(request);
        });
    }

    /** A call of one rank, between two events or none. */
    @FunctionalInterface
    private interface RankCall<T>
    {
        Completion<T> submit(int rank, ForeignEvent made, ForeignEvent done);
    }

    private <T> List<T> between(final RankCall<T> call)
    {
        final SteppingWorld stepping =
            Fabric.STEPPING_EVENTS == recorded.fabric() ? (SteppingWorld)world : null;
        final List<Completion<T>> calls = new ArrayList<>();
        final List<ForeignEvent> made = new ArrayList<>();
        final List<ForeignEvent> done = new ArrayList<>();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            if (null != stepping)
            {
                made.add(stepping.fabric.event(scenario.kind));
                done.add(stepping.fabric.event(scenario.kind));
            }

            calls.add(null == stepping ? call.submit(rank, null, null) :
                call.submit(rank, made.get(rank), done.get(rank)));
        }

        made.forEach((event) -> stepping.fabric.signal(event));
        world.await("done", () -> calls.stream().allMatch(Completion::isDone));
        if (null != stepping)
        {
            world.await("recorded", () -> done.stream().allMatch(stepping.fabric::hasHappened));
        }

        return calls.stream().map(Completion::await).toList();
    }

    private static DispatchOutput spoilt(final RankTensors own, final DispatchOutput output)
    {
        own.spoil(output);
        return output;
    }

    /** Room for every token of every rank, with each of its experts that may be here. */
    private DispatchOutput worstCase(final RankTensors own)
    {
        final boolean isExpertMajor = OutputLayout.EXPERT_MAJOR == scenario.layout;
        final int locals = world.data.reference.experts() / scenario.ranks();
        int rows = isExpertMajor ? locals * (scenario.alignment - 1) : 0;
        for (final int tokens : scenario.tokens)
        {
            rows += tokens * (isExpertMajor ? Math.min(scenario.topk, locals) : 1);
        }

        return own.output(new OutputShape(rows, scenario.hidden, scenario.isFp8 ? DataType.F8_E4M3 : DataType.BF16,
            isExpertMajor ? 1 : scenario.topk));
    }

    private byte[] layout(final int rank)
    {
        final DispatchLayout layout =
            world.engines.get(rank).layout(world.tensors.get(rank).idx, scenario.experts);
        final StringBuilder inRank = new StringBuilder();
        for (final boolean[] token : layout.tokenInRank())
        {
            for (final boolean isIn : token)
            {
                inRank.append(isIn ? 'x' : '.');
            }
        }

        final byte[] numbers = bytes(layout.tokensPerRank(), layout.tokensPerNode(), layout.tokensPerExpert());
        return ByteBuffer.allocate(numbers.length + inRank.length()).put(numbers)
            .put(inRank.toString().getBytes(StandardCharsets.US_ASCII)).array();
    }

    private static byte[] counts(final DispatchResult result)
    {
        return bytes(new int[]{result.rows(), result.handle().rows(), result.handle().tokens()},
            result.rowsPerExpert(), result.rankPrefixSum());
    }

    private static byte[] bytes(final int[]... arrays)
    {
        int count = 0;
        for (final int[] array : arrays)
        {
            count += 1 + array.length;
        }

        final ByteBuffer buffer = ByteBuffer.allocate(count * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (final int[] array : arrays)
        {
            buffer.putInt(array.length);
            for (final int value : array)
            {
                buffer.putInt(value);
            }
        }

        return buffer.array();
    }

    private void hashRows(final String prefix, final List<DispatchResult> results)
    {
        hash(prefix + "rows", (rank) -> bytes(rank, results.get(rank), results.get(rank).output().x()));
        if (scenario.isFp8)
        {
            hash(prefix + "scales", (rank) -> bytes(rank, results.get(rank), results.get(rank).output().xScales()));
        }
    }

    private void hashCombined(final String prefix, final List<CombineResult> results)
    {
        hash(prefix + "combined",
            (rank) -> world.tensors.get(rank).payload(results.get(rank).x(), scenario.tokens[rank]));
        if (scenario.isWeighted)
        {
            hash(prefix + "combined weights", (rank) ->
                weights(world.tensors.get(rank).payload(results.get(rank).topkWeights(), scenario.tokens[rank])));
        }
    }

    /** All that was delivered; what the caller has room for beyond it must be as it was. */
    private byte[] bytes(final int rank, final DispatchResult result, final Tensor tensor)
    {
        final byte[] all = world.tensors.get(rank).payload(tensor, tensor.rows());
        final int delivered = (int)(result.rows() * tensor.rowBytes());
        if (Output.ENGINE != recorded.output())
        {
            final byte[] beyond = Arrays.copyOfRange(all, delivered, all.length);
            final byte[] untouched = new byte[beyond.length];
            Arrays.fill(untouched, RankTensors.SPOILT);
            assertArrayEquals(
                untouched, beyond, () -> "beyond the last row that rank " + rank + " got of " + recorded);
        }

        return Arrays.copyOf(all, delivered);
    }

    /** A NaN is a NaN, whatever its bits. */
    private static byte[] weights(final byte[] bytes)
    {
        final float[] values = RankTensors.toFloats(bytes);
        final int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++)
        {
            bits[i] = Float.floatToIntBits(values[i]);
        }

        return bytes(bits);
    }

    /** Of all ranks' bytes, with their lengths, as they are in the memory of a little-endian machine. */
    private void hash(final String output, final IntFunction<byte[]> bytesOf)
    {
        final MessageDigest digest = sha256();
        for (int rank = 0; rank < scenario.ranks(); rank++)
        {
            final byte[] bytes = bytesOf.apply(rank);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }

        hashes.put(output, HexFormat.of().formatHex(digest.digest()).substring(0, HEX_DIGITS));
    }

    private static MessageDigest sha256()
    {
        try
        {
            return MessageDigest.getInstance("SHA-256");
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new LinkageError("every JVM has SHA-256", ex);
        }
    }
}

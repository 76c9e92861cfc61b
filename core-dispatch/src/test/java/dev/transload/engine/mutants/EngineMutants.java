/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import static dev.transload.engine.mutants.Edit.in;

import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.Opcodes;

/**
 * Defects of the engine, each with a test that fails on it. Probes are a part of the gate: worlds of the property tests
 * by their seed, which {@code EnginePropertyTest} and {@code LowLatencyPropertyTest} run there among 300, and single
 * tests. So what a probe fails on, the gate fails on.
 *
 * <p>An edit names its place by a method of the class and what is called, read or computed there. Where the engine was
 * changed so that it is not found, {@link EngineMutantTest} says which: name the place as it is now, or put another
 * defect of the same part in its stead. A probe of a seed that fails on its defect no more is found anew among the
 * first {@link #SEEDS} seeds; the test prints which one, to be written here.
 */
final class EngineMutants
{
    /** Worlds of a property test that are tried where the one of a probe passes. */
    static final int SEEDS = 100;

    private static final String ENGINE = "dev.transload.engine.";
    private static final String WORLDS = ENGINE + "EnginePropertyTest";
    private static final String LOW_LATENCY_WORLDS = ENGINE + "lowlatency.LowLatencyPropertyTest";
    private static final String MISMATCH = ENGINE + "MismatchTest";
    private static final String REPLAY = ENGINE + "ReplayTest";
    private static final String CLEARED = ENGINE + "lowlatency.ClearedRankTest";
    private static final String MASKED = ENGINE + "lowlatency.RankMaskTest";
    private static final String ANNOUNCED = ENGINE + "lowlatency.AnnouncedRowsTest";
    private static final String SETS = ENGINE + "lowlatency.BufferSetTest";
    private static final String GATED = ENGINE + "lowlatency.GatedPackingTest";

    private static final String WRITE = "write(Ldev/transload/engine/Tensor;)V";
    private static final String SELECTIONS =
        "selections(ILdev/transload/engine/wire/RowMeta;Lorg/agrona/concurrent/UnsafeBuffer;I)V";

    private static final List<Mutant> DISPATCH = List.of(
        mutant("a sender takes one row more than its credit", "normal.Sender",
            in("isFree").call("Credit.head").add(1), device(4)),
        mutant("a sender leaves a row's weights out", "normal.Sender",
            in("copySelections").call("DispatchCall.copyWeights").leaveOut(0), device(3)),
        mutant("a row is sent to the nodes that it does not go to", "normal.Sender",
            in("sendToken").call("SendLayout.isInNode").flip(), host(1)),
        mutant("a coordinator ends before the own node's rows are released", "normal.SenderCoordinator",
            in("isComplete").answer(1), host(1)),
        mutant("a chunk to a node is one row short", "normal.Destination",
            in("beginChunk").call("RingTransfer.begin").addToLastArgument(-1), device(3)),
        mutant("a chunk waits to be full at the end of a call", "normal.Destination",
            in("step").field("end").nth(2, 2).add(1), device(3)),
        mutant("a forwarder takes one row more than the ring has room", "normal.UpRing",
            in("room").call("Credit.head").add(1), device(4)),
        mutant("a forwarder does not note where rows went", "normal.Forwarder",
            in("forward").call("SourceRing.record").leaveOut(0), device(3)),
        mutant("a forwarder takes the lane meta of the call before", "normal.LaneRelay",
            in("isAnnounced").call("SignalRegion.getAcquire").add(1), host(1)),
        mutant("a row goes to every rank of the node", "normal.SourceRing",
            in("isForwarded").answer(1), device(4)),
        mutant("a forwarder does not wrap at the end of the ring", "normal.SourceRing",
            in("pass").constant(0).add(1), device(4)),
        mutant("rows are passed for good before the transport has read them", "normal.Sources",
            in("settle").call("RingTransfer.sourcePosition").give(0), device(4)),
        mutant("slots are free as soon as the fastest forwarder has passed them", "normal.ForwarderCoordinator",
            in("leastHead").constant(Long.MAX_VALUE).give(0)
            .and(in("leastHead").call("Math.min").callInstead("max")), device(4)),
        mutant("slots are given back before the row kernels have copied their rows", "normal.Receiver",
            in("step").call("RowKernels.completedPosition").nth(1, 2).callInstead("position"), device(3)),
        mutant("a receiver takes the lane meta of the call before", "normal.Receiver",
            in("learn").call("SignalRegion.getAcquire").add(1), host(1)),
        mutant("a receiver does not acquire what has come", "normal.Receiver",
            in("hasRows").call("Receiver.acquire").leaveOut(0), device(3)),
        mutant("listed rows count as come before they have", "normal.ListedArrivals",
            in("haveJustCome").call("SignalRegion.getAcquire").ignoreCondition(), device(10)),
        mutant("expert-major rows of the second channel overwrite those of the first", "normal.Delivery",
            in("enter").call("EncodedWord.get").nth(4, 5).give(0), host(5)),
        mutant("a row is counted twice among those of its lane", "normal.Delivery",
            in("deliverExpanded").constant(1).nth(3, 3).add(1), host(5)),
        mutant("a kept list is taken for another dispatch's", "normal.ListKey",
            in("isOf").call("Plan.callNumber").ignoreCondition(),
            new Probe(REPLAY, "shouldKeepTheRoutingsOfHandlesApart", "RANK_MAJOR")),
        mutant("a kept list is taken for another place's", "normal.ListKey",
            in("isOf").call("PeerMemory.offset").nth(1, 2).ignoreCondition(),
            new Probe(REPLAY, "shouldFollowTensorsThatMove", false)),
        mutant("listed rows are put one place too early", "normal.Places",
            in("addRankMajor").call("PeerMemory.start").add(-1), device(10)),
        mutant("packed rows are sent before they are copied", "normal.Packer",
            in("step").call("RowKernels.completedPosition").callInstead("position"), device(7)));

    private static final List<Mutant> COMBINE = List.of(
        mutant("an expert's rank sends one row more than its credit", "normal.SubRing",
            in("collect").call("Credit.head").add(1), device(4)),
        mutant("sums of a token's experts are sent before they are made", "normal.SubRing",
            in("send").call("Channel.startAfter").leaveOut(0), device(7)),
        mutant("sums of a token's experts lack the last choice", "normal.SubRing",
            in("sum").call("SendLayout.topk").add(-1), host(5)),
        mutant("partial sums take one slot more than their credit", "normal.Home",
            in("collect").call("Credit.head").add(1), host(8)),
        mutant("a token is summed before all its rows have come", "normal.ReturnedRows",
            in("isReady").answer(1), device(3)),
        mutant("ranks of a node are summed in descending order", "normal.ReturnedRows",
            in("take").call("Long.numberOfTrailingZeros").by("highest")
            .and(in("take").operation(Opcodes.LAND).by("withoutHighest")), device(85)),
        mutant("partial sums are sent before they are made", "normal.PartialSums",
            in("step").call("Channel.startAfter").leaveOut(0), device(7)),
        mutant("a chunk of partial sums counts as sent and is not", "normal.PartialSums",
            in("send").call("RingTransfer.begin").nth(1, 1).leaveOut(0), device(3)),
        mutant("the nodes' partial sums are not summed by themselves first", "normal.CombineReceiver",
            in("sum").call("RowTable.beginPart").leaveOut(0), host(8)),
        mutant("weights of a token before are added to the next one's", "normal.CombineReceiver",
            in("sum").call("Arrays.fill").leaveOut(0), device(3)),
        mutant("a combine ends before its rows are given back", "normal.CombineReceiver",
            in("isComplete").call("ReturnedRows.areReturned").give(1), host(6)),
        mutant("partial sums are taken before they have come", "normal.ArrivedSums",
            in("isReady").answer(1), device(3)),
        mutant("a slot of partial sums is given back one too early", "normal.ArrivedSums",
            in("submitted").call("PendingHeads.add").addToLastArgument(1), host(8)));

    private static final List<Mutant> LINKS = List.of(
        mutant("the tail is told by an add that nothing orders", "ring.RingTransfer",
            in("stepOn").call("Channel.signal").callInstead("atomicAdd"), device(3)),
        mutant("a meta message is told by an add that nothing orders", "ring.MetaTransfer",
            in("stepOn").call("Channel.signal").callInstead("atomicAdd"), host(1)),
        mutant("a tail is told of one row less than was put", "ring.RingTransfer",
            in("stepOn").call("Channel.signal").addToLastArgument(-1), device(3)),
        mutant("a consumer gives back one row more than it took", "ring.PushingReturn",
            in("reportAll").call("Channel.atomicAdd").addToLastArgument(1), device(4)),
        mutant("a batch of credit has to be one row larger than a batch", "ring.PushingReturn",
            in("isDue").field("batch").add(1), device(3)),
        mutant("pulled credit is one row too much", "ring.PulledCredit",
            in("take").call("UnsafeBuffer.getLongVolatile").add(1), staged(13)),
        mutant("heads are settled before their position is passed", "ring.PendingHeads",
            in("settle").field("positions").ignoreCondition(), device(4)),
        mutant("placed rows begin the list anew while the transport reads it", "ring.RowSet",
            in("into").call("RowSet.nextEntry").give(0), host(5)),
        mutant("staged rows are copied before they are made", "ring.Staging",
            in("startsAfter").call("Channel.startAfter").leaveOut(0), staged(3)),
        mutant("staged rows count as arrived one too early", "ring.Staging",
            in("arrived").call("SignalRegion.getAcquire").add(1), staged(2)),
        mutant("what a rank exposes is read before it is told", "connect.PeerMemories",
            in("isKnown").call("SignalRegion.getAcquire").ignoreCondition(), host(1)));

    private static final List<Mutant> CALLS = List.of(
        mutant("a notify message is read whichever call it is of", "normal.Notify",
            in("areOutSeen").call("SignalRegion.getAcquire").ignoreCondition(), device(1)),
        mutant("ranks' calls are not compared", "normal.Notify",
            in("compare").call("CallHeader.difference").give(0),
            new Probe(MISMATCH, "shouldNameBothRanksWhenTheAlignmentDiffers")),
        mutant("the last words of a header are not compared", "wire.CallHeader",
            in("difference").constant(11).add(-3), new Probe(MISMATCH, "shouldNameBothRanksWhenTheAlignmentDiffers")),
        mutant("the place of exposed rows is told one row too far", "normal.ClearToSendRole",
            in("starts").call("EncodedWord.put").addToLastArgument(1), host(5)),
        mutant("a call ends before its roles have", "runtime.Conductor",
            in("isFinished").answer(1), device(1)),
        mutant("experts elsewhere are delivered, too", "normal.OutputMetadata",
            in(SELECTIONS).operation(Opcodes.ISHR).give(0), device(3)),
        mutant("an entry of another rank is delivered", "normal.OutputMetadata",
            in("entries").field("maskBit").give(-1), host(33)),
        mutant("the first row of padding is not blanked", "normal.PaddingFiller",
            in("collect").call("ReceiveLayout.countOf").add(1), device(7)));

    private static final List<Mutant> ROUTES = List.of(
        mutant("an expert that needs no padding gets some", "plan.ReceiveLayout",
            in("conclude").operation(Opcodes.ISUB).nth(2, 2).add(1), host(1)),
        mutant("rows of a rank before are left out of a place", "plan.ReceiveLayout",
            in("laneStart").call("ReceiveLayout.rankStart").give(0), device(3)),
        mutant("a channel has one row less for a node", "plan.SendLayout",
            in("rowsToNode").addToResult(-1), device(1)),
        mutant("the end of a lane lies where its start does", "wire.LaneMeta",
            in("rankEnd").call("Geometry.locals").give(0), staged(3)),
        mutant("a word says one more than was written", "wire.EncodedWord",
            in("get").operation(Opcodes.INEG).add(1), device(1)),
        mutant("a weight is read where its expert is", "wire.RowMeta",
            in("weight").field("weightsOffset").readInstead("topkOffset"), device(3)));

    private static final List<Mutant> LOW_LATENCY = List.of(
        mutant("the fence between rows and their signal is left out", "lowlatency.Lane",
            in("step").call("Channel.fence").nth(2, 2).leaveOut(0), deaths(6)),
        mutant("the fence between a message and its announcement is left out", "lowlatency.Lane",
            in("step").call("Channel.fence").nth(1, 2).leaveOut(0), callsOnDevice(1)),
        mutant("the last row of a lane is not sent", "lowlatency.DispatchSender",
            in("endLane").call("Lane.rows").addToLastArgument(-1), calls(1)),
        mutant("a set is written before the peer has read the call before", "lowlatency.Lanes",
            in("send").call("PeerLink.isSignalled").give(1),
            new Probe(SETS, "shouldNotWriteToAPeerThatHasYetToRead", 2L)),
        mutant("the answer slot told to an expert is the next one", "lowlatency.DispatchSender",
            in("route").operation(Opcodes.LOR).nth(1, 2).add(1), calls(1)),
        mutant("rows of a lost rank stay listed", "lowlatency.DispatchReceiver",
            in("isAnyLost").answer(0), new Probe(ANNOUNCED, "shouldCountNoneOfTheRowsThatNeverCome", 51L)),
        mutant("a dispatch ends before its rows are packed", "lowlatency.DispatchReceiver",
            in("finish").call("RowKernels.position").ignoreCondition(), callsOnDevice(1)),
        mutant("rows are packed before they have come", "lowlatency.DispatchReceiver",
            in("hasCome").answer(1), callsOnDevice(1)),
        mutant("answers are the first row of each expert", "lowlatency.CombineSender",
            in("list").call("DispatchMessage.low").nth(1, 2).give(0), calls(1)),
        mutant("a release looks like a combine", "lowlatency.CombineSender",
            in("fill").constant(1L + (1L << 40)).give(1), deaths(7)),
        mutant("answers of a lost rank stay in the sums", "lowlatency.CombineReceiver",
            in("settle").call("CombineReceiver.list").leaveOut(0), deathsOnDevice(42)),
        mutant("answers are summed before they have come", "lowlatency.CombineReceiver",
            in("doWork").call("Arrivals.isComplete").give(1), calls(1)),
        mutant("a combine ends before its sums are made", "lowlatency.CombineReceiver",
            in("finish").call("RowKernels.position").ignoreCondition(), callsOnDevice(1)),
        mutant("a token's first answer is summed into the one before", "lowlatency.SumList",
            in(WRITE).call("UnsafeApi.putInt").nth(2, 5).addToLastArgument(1), callsOnDevice(1)),
        mutant("a rank that the rendezvous lost is not masked", "lowlatency.RankMask",
            in("maskIfGone").call("RankMask.mask").nth(1, 2).leaveOut(0),
            new Probe(MASKED, "shouldMaskARankThatTheRendezvousLostWithoutWaiting")),
        mutant("channels to a masked rank stay open", "lowlatency.RankMask",
            in("closeChannels").call("PeerLink.revoke").leaveOut(0),
            new Probe(MASKED, "shouldCloseChannelsAtOnceBetweenCalls")),
        mutant("slots of an expert overlap those of the next", "lowlatency.Slots",
            in("row").field("maxTokens").add(-1), calls(3)),
        mutant("a source that is passed over keeps its old count", "lowlatency.PackingList",
            in("skip").field("localExperts").give(0), deathsOnDevice(16)),
        mutant("the generation of a message is not compared", "lowlatency.PackingList",
            in("isAgreed").call("DispatchMessage.generation").ignoreCondition()
            .and(in("requireAgreed").call("PackingList.require").nth(1, 5).leaveOut(0)),
            new Probe(CLEARED, "shouldRefuseWhatWasSentBeforeItWasCleared")),
        mutant("rows that came too late count as packed", "lowlatency.GatedPacking",
            in("hasCopied").answer(1), new Probe(GATED, "shouldPackWhatComesTooLateByItself", 63L)),
        mutant("all parts of a source are opened before its rows have come", "lowlatency.GatedPacking",
            in("openArrived").field("arrived").nth(2, 2).give(-1), deathsOnDevice(33)),
        mutant("a cleared rank looks at the signals of its last generation", "lowlatency.PeerLink",
            in("value").field("generation").give(0), new Probe(CLEARED, "shouldTakeARankBackThatBothSidesClear", 5L)));

    static final List<Mutant> ALL =
        Stream.of(DISPATCH, COMBINE, LINKS, CALLS, ROUTES, LOW_LATENCY).flatMap(List::stream).toList();

    private EngineMutants()
    {
    }

    private static Mutant mutant(final String name, final String className, final Edit edit, final Probe probe)
    {
        return new Mutant(name, ENGINE + className, edit, probe);
    }

    private static Probe host(final long seed)
    {
        return new Probe(WORLDS, "runOnHost", seed);
    }

    private static Probe device(final long seed)
    {
        return new Probe(WORLDS, "runOnDevice", seed);
    }

    private static Probe staged(final long seed)
    {
        return new Probe(WORLDS, "runStaged", seed);
    }

    private static Probe calls(final long seed)
    {
        return new Probe(LOW_LATENCY_WORLDS, "runOnHost", seed);
    }

    private static Probe callsOnDevice(final long seed)
    {
        return new Probe(LOW_LATENCY_WORLDS, "runOnDevice", seed);
    }

    private static Probe deaths(final long seed)
    {
        return new Probe(LOW_LATENCY_WORLDS, "runWithDeathsOnHost", seed);
    }

    private static Probe deathsOnDevice(final long seed)
    {
        return new Probe(LOW_LATENCY_WORLDS, "runWithDeathsOnDevice", seed);
    }
}

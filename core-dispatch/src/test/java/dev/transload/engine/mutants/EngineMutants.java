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
 * <p>No mutant may write by address outside of its memory: that shows at any time, in another test. Kernels trust what
 * a {@code RowTable} says of its greatest rows, so a mutant of a table that is written by address has to keep it true.
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
    private static final String LOSSES = ENGINE + "SurvivorsPropertyTest";
    private static final String MASKED_RANKS_WORLDS = ENGINE + "MaskedRanksPropertyTest";
    private static final String LOW_LATENCY_WORLDS = ENGINE + "lowlatency.LowLatencyPropertyTest";
    private static final String STEP_WORLDS = ENGINE + "internal.steps.ListedStepsPropertyTest";
    private static final String BLOCKS = ENGINE + "BlocksTest";
    private static final String MISMATCH = ENGINE + "MismatchTest";
    private static final String CLEARED = ENGINE + "lowlatency.ClearedRankTest";
    private static final String MASKED = ENGINE + "lowlatency.RankMaskTest";

    private static final String CONTEXT = ENGINE + "TransportContextTest";
    private static final String NEWS = ENGINE + "internal.connect.EngineNewsTest";


    private static final List<Mutant> METADATA = List.of(
        mutant("a block is written over before all have read it", "internal.normal.OutgoingBlocks",
            in("needed").addToResult(-1), blocks("1, 3000, 1")),
        mutant("rows of channels before are left out of a prefix", "internal.normal.OutgoingBlocks",
            in("begin").call("SendLayout.rankStart").give(0), host(3)),
        mutant("experts' rows of channels before are left out of a prefix", "internal.normal.OutgoingBlocks",
            in("begin").call("SendLayout.expertStart").give(0), host(5)),
        mutant("experts' rows of a block before are left out of a prefix", "internal.normal.OutgoingBlocks",
            in("countExperts").constant(1).nth(1, 1).give(0), blocks("EXPERT_MAJOR")),
        mutant("a row is sent to the nodes that it does not go to", "internal.normal.OutgoingBlocks",
            in("fill").call("SendLayout.isInNode").flip(), host(3)),
        mutant("a sender leaves a row's weights out", "internal.normal.OutgoingBlocks",
            in("fill").call("DispatchCall.copyWeights").leaveOut(0), host(3)),
        mutant("the send table names the token behind", "internal.normal.OutgoingBlocks",
            in("fill").call("SendTable.set").addToLastArgument(1), host(3)),
        mutant("a relay hands a block on before it has come", "internal.normal.IncomingStream",
            in("handOn").call("IncomingStream.seenBlocks").give(-1), host(3)),
        mutant("starts of the first source are taken for all", "internal.normal.IncomingStream",
            in("readStarts").call("Relays.indexOf").give(0), host(5)),
        mutant("a block is free before all ranks have read it", "internal.normal.ForwarderCoordinator",
            in("consumedBlocks").call("SignalRegion.getAcquire").give(Long.MAX_VALUE), blocks("1, 3000, 1")),
        mutant("a block is free before the relay has placed it", "internal.normal.ForwarderCoordinator",
            in("consumedBlocks").call("Cursor.getAcquire").nth(1, 2).give(Long.MAX_VALUE), blocks("1, 5055, 2")),
        mutant("a block is read before it is announced", "internal.normal.IncomingRows",
            in("readBlock").call("IncomingRows.announced").add(1), host(3)),
        mutant("a block is looked for in the other slot", "internal.normal.IncomingRows",
            in("address").field("read").add(1), host(3)),
        mutant("a prefix is not added", "internal.normal.IncomingRows",
            in("readExpertMajor").call("MetadataBlock.prefix").give(0), host(5)),
        mutant("rows of a block overwrite those of the block before", "internal.normal.IncomingRows",
            in("readBlock").field("found").nth(2, 2).give(0), blocks("1, 1100, 1")),
        mutant("experts elsewhere are delivered, too", "internal.normal.OutputMetadata",
            in("selections").operation(Opcodes.ISHR).give(0), host(3)),
        mutant("a row of another rank is delivered", "internal.normal.OutputMetadata",
            in("rankMajor").field("maskBit").give(-1), host(8)),
        mutant("weights of expert-major rows are 0", "internal.normal.OutputMetadata",
            in("expertMajor").call("MetadataBlock.isWeighted").give(0), host(5)),
        mutant("weights lie where the selections are", "internal.wire.MetadataBlock",
            in("weights").field("topk").give(0), host(3)),
        mutant("a block of another call is taken", "internal.wire.MetadataBlock",
            in("open").call("UnsafeApi.getLong").flip(),
            new Probe(ENGINE + "internal.wire.MetadataBlockTest", "shouldRefuseABlockOfAnotherCallOrRow")),
        mutant("a prefix says one more than was written", "internal.wire.MetadataBlock",
            in("prefix(I)I").operation(Opcodes.INEG).add(1), host(5)));

    private static final List<Mutant> DISPATCH = List.of(
        mutant("a sender ends before its rows are sent", "internal.normal.OutgoingRows",
            in("isComplete").answer(1), host(3)),
        mutant("a chunk waits to be full at the end of a stream", "internal.normal.OutgoingRows",
            in("step").field("rows").add(1), host(3)),
        mutant("a row goes into the slot behind its own", "internal.normal.OutgoingRows",
            in("send").call("RingWriter.slot").add(1), host(3)),
        mutant("rows are gathered over those that are still copied", "internal.normal.StagedRows",
            in("advance").call("Staging.released").add(1), staged(10)),
        mutant("rows are copied to host memory before they are gathered", "internal.normal.StagedRows",
            in("advance").call("Staging.startsAfter").leaveOut(1), staged(3)),
        mutant("rows are copied over those that are still sent", "internal.normal.StagedRows",
            in("advance").call("RingPuts.released").add(1), staged(2)),
        mutant("scales are not gathered", "internal.normal.StagedRows",
            in("begin").call("RowScatter.scales").leaveOut(0), staged(3)),
        mutant("a relay hands a row on before it has come", "internal.normal.IncomingStream",
            in("arrivedBy").addToResult(1), device(8)),
        mutant("a relay does not move a ring's base with a call", "internal.normal.IncomingStream",
            in("begin").field("end").give(0), device(3)),
        mutant("a relay does not acquire what has come", "internal.normal.IncomingStream",
            in("ready").call("ThreadResources.acquire").leaveOut(0), device(3)),
        mutant("slots are free while row kernels read them", "internal.normal.NodeRows",
            in("settle").call("RowKernels.completedPosition").callInstead("position"), slow(3, 1, "direct")),
        mutant("slots are free while the transport reads them", "internal.normal.NodeRows",
            in("settle").call("RowPuts.released").callInstead("added"), device(13)),
        mutant("a row is put into the first slot of a rank's ring", "internal.normal.NodeRows",
            in("addToRing").call("RingWriter.slot").give(0), host(2)),
        mutant("a relay takes one row more than a rank's ring has room", "internal.normal.NodeRows",
            in("room").call("RingWriter.room").add(1), host(2)),
        mutant("rows are put to the start of the output's memory", "internal.normal.NodeRows",
            in("pick").call("PeerMemory.offset").nth(1, 2).give(0), host(2)),
        mutant("a ring's first row is put to all places", "internal.normal.NodeRows",
            in("pick").call("RowTable.row").nth(1, 2).give(0), host(2)),
        mutant("a relay scatters to the places of the first rows again", "internal.normal.NodeRows",
            in("scatter").call("IncomingStream.forwarded").give(0), host(3)),
        mutant("a relay gives back one row more than was handed on", "internal.normal.ForwarderCoordinator",
            in("step").call("RingReader.consumedTo").addToLastArgument(1), host(8)),
        mutant("rows count as delivered one too early", "internal.normal.IncomingRows",
            in("takePlaced").call("IncomingRows.arrived").add(1), device(2)),
        mutant("a row is copied out of its ring before it has come", "internal.normal.IncomingRows",
            in("take").call("IncomingRows.arrived").add(1), device(2)),
        mutant("slots are given back before row kernels have copied their rows", "internal.normal.IncomingRows",
            in("take").call("RowKernels.completedPosition").callInstead("position"), slow(1, 3, "ring")),
        mutant("a receiver does not acquire its rings", "internal.normal.IncomingRows",
            in("take").call("ThreadResources.acquire").leaveOut(0), device(2)),
        mutant("a receiver does not acquire rows at their places", "internal.normal.IncomingRows",
            in("takePlaced").call("ThreadResources.acquire").nth(1, 2).leaveOut(0), device(5)),
        mutant("rows at their places are not passed over in the ring", "internal.normal.IncomingRows",
            in("takePlaced").call("RingReader.pass").leaveOut(0), host(17)),
        mutant("a dispatch ends before its rows are copied", "internal.normal.IncomingRows",
            in("isComplete").call("PendingHeads.isEmpty").give(1), slow(1, 3, "ring")),
        mutant("a list is filled while row kernels read it", "internal.normal.RingCopies",
            in("isFree").call("RowKernels.completedPosition").callInstead("position"), slow(1, 3, "ring")));

    private static final List<Mutant> COMBINE = List.of(
        mutant("an expert's rank sends one row more than its credit", "internal.normal.OutgoingReturns",
            in("collect").call("RingWriter.room").add(1), device(2)),
        mutant("sums of a token's experts are sent before they are made", "internal.normal.OutgoingReturns",
            in("send").call("Channel.startAfter").leaveOut(0), device(5)),
        mutant("sums of a token's experts lack the last choice", "internal.normal.OutgoingReturns",
            in("sum").call("SendLayout.topk").add(-1), host(5)),
        mutant("weights are those of the first row", "internal.normal.OutgoingReturns",
            in("writeWeights").call("ChannelPlaces.place").give(0), host(5)),
        mutant("rows are changed while their relay reads them", "internal.normal.OutgoingReturns",
            in("isComplete").call("RingWriter.isGivenBack").give(1), slow(2, 2, "direct")),
        mutant("partial sums take one slot more than their credit", "internal.normal.OutgoingSums",
            in("collect").call("RingWriter.room").add(1), host(5)),
        mutant("partial sums are put before they are made", "internal.normal.OutgoingSums",
            in("send").call("RingPuts.startsAfter").leaveOut(1), device(17)),
        mutant("partial sums are told of before they are made", "internal.normal.OutgoingSums",
            in("ready").call("RowKernels.completedPosition").callInstead("position"), slow(3, 1, "direct")),
        mutant("partial sums are copied to host memory before they are made", "internal.normal.OutgoingSums",
            in("stage").call("Staging.startsAfter").leaveOut(1), staged(3)),
        mutant("a relay adds weights of a token before to the next one's", "internal.normal.OutgoingSums",
            in("weigh").call("Arrays.fill").leaveOut(0), host(3)),
        mutant("a relay writes its table while row kernels read it", "internal.normal.OutgoingSums",
            in("isFree").call("RowKernels.completedPosition").callInstead("position"), slow(2, 2, "ring")),
        mutant("returned rows are given back before row kernels have read them", "internal.normal.OutgoingSums",
            in("step").call("RowKernels.completedPosition").callInstead("position"), slow(2, 2, "ring")),
        mutant("returned rows at home are given back before row kernels have read them",
            "internal.normal.CombineReceiver",
            in("step").call("RowKernels.completedPosition").callInstead("position"), slow(1, 3, "ring")),
        mutant("partial sums go into the first slot", "internal.normal.OutgoingSums",
            in("collect").call("RingWriter.slot").give(0), host(5)),
        mutant("a token is summed before all its rows have come", "internal.normal.NodeReturns",
            in("isReady").answer(1), device(2)),
        mutant("ranks of a node are summed in descending order", "internal.normal.NodeReturns",
            in("take").call("Long.numberOfTrailingZeros").by("highest")
            .and(in("take").operation(Opcodes.LAND).by("withoutHighest")), host(8)),
        mutant("a returned row is read from the first slot", "internal.normal.NodeReturns",
            in("rowOf").call("RingReader.slot").give(0), host(2)),
        mutant("a relay does not acquire returned rows in rings", "internal.normal.NodeReturns",
            in("refresh").call("ThreadResources.acquire").leaveOut(0), device(2)),
        mutant("rows read in place are given back before row kernels have read them", "internal.normal.NodeReturns",
            in("settle").field("lastPosition").give(0), slow(2, 2, "direct")),
        mutant("the nodes' partial sums are not summed by themselves first", "internal.normal.CombineReceiver",
            in("sum").call("RowTable.beginPart").leaveOut(0), host(8)),
        mutant("weights of a token before are added to the next one's", "internal.normal.CombineReceiver",
            in("weigh").call("Arrays.fill").leaveOut(0), host(3)),
        mutant("a table of sums is written while row kernels read it", "internal.normal.CombineReceiver",
            in("isFree").call("RowKernels.completedPosition").callInstead("position"), slow(1, 3, "ring")),
        mutant("partial sums are taken before they have come", "internal.normal.IncomingSums",
            in("isReady").answer(1), device(3)),
        mutant("partial sums count as arrived one too early", "internal.normal.IncomingSums",
            in("arrivedOverWire").addToResult(1), staged(3)),
        mutant("a slot of partial sums is given back one too early", "internal.normal.IncomingSums",
            in("submitted").call("PendingHeads.add").addToLastArgument(1), host(8)),
        mutant("partial sums are not acquired", "internal.normal.IncomingSums",
            in("refresh").call("ThreadResources.acquire").leaveOut(0), device(3)));

    private static final List<Mutant> RINGS = List.of(
        mutant("a writer takes one row more than its credit", "internal.ring.RingWriter",
            in("room").call("Credit.head").add(1), host(2)),
        mutant("a writer skips a whole ring where nothing is to be skipped", "internal.ring.RingWriter",
            in("begin").constant(1).give(0), host(3)),
        mutant("a tail tells of rows again", "internal.ring.RingWriter",
            in("tell()J").field("told").give(0), host(2)),
        mutant("a ring counts as given back at once", "internal.ring.RingWriter",
            in("isGivenBack").answer(1), ring("shouldGiveBackRowsThatWereReadInPlaceAtTheEndOfTheirCall")),
        mutant("a reader does not give back what is skipped", "internal.ring.RingReader",
            in("begin").operation(Opcodes.IOR).give(0), ring("shouldGiveBackWhatIsSkippedWithoutWaitingForABatch")),
        mutant("a reader takes rows of calls before for this one's", "internal.ring.RingReader",
            in("arrived").field("base").give(0), host(2)),
        mutant("a reader's head begins anew with each call", "internal.ring.RingReader",
            in("consumed").field("base").give(0), host(3)),
        mutant("a reader gives back what a call before has consumed", "internal.ring.RingReader",
            in("consumedTo").call("Math.max").callInstead("min"),
            ring("shouldTakeAPositionOfAnEarlierCallForNothing")),
        mutant("a list's entries are used again while the transport reads them", "internal.ring.RowPuts",
            in("room").call("RowPuts.settled").callInstead("added"), host(20)),
        mutant("an entry that the transport did not take counts as put", "internal.ring.RowPuts",
            in("put").operation(Opcodes.LSUB).nth(2, 2).add(1), host(3)),
        mutant("the last row of a chunk is not put", "internal.ring.RowPuts",
            in("hasNext").field("filled").nth(2, 2).add(-1), host(3)),
        mutant("rows are told of by an add that nothing orders", "internal.ring.ChunkPuts",
            in("stepOn").call("Channel.signal").callInstead("atomicAdd"), device(3)),
        mutant("rows are told of before row kernels have written them", "internal.ring.RowPuts",
            in("signalAfter").call("RowKernels.completedPosition").callInstead("position"), slow(2, 2, "direct")),
        mutant("slots beyond the end of a ring are put", "internal.ring.RingPuts",
            in("put").field("slots").nth(2, 2).add(1), staged(13)),
        mutant("weights of sums are not put", "internal.ring.RingPuts",
            in("hasNext").field("first").readInstead("end"), device(3)),
        mutant("slots count as released before the transport has read them", "internal.ring.ChunkPuts",
            in("settled").call("Channel.releasedPosition").callInstead("position"), staged(2)),
        mutant("a tail is told of one slot less than was put", "internal.ring.ChunkPuts",
            in("stepOn").call("Channel.signal").addToLastArgument(-1), staged(3)),
        mutant("a meta message is told by an add that nothing orders", "internal.ring.MetaTransfer",
            in("stepOn").call("Channel.signal").callInstead("atomicAdd"), host(1)),
        mutant("a meta message is told of and not put", "internal.ring.MetaTransfer",
            in("stepOn").field("isPut").give(1), host(1)),
        mutant("a consumer gives back one row more than it took", "internal.ring.PushingReturn",
            in("write").call("Channel.atomicAdd").addToLastArgument(1), host(2)),
        mutant("a batch of credit has to be one row larger than a batch", "internal.ring.CreditReturn",
            in("isDue").field("batch").add(1), host(3)),
        mutant("pulled credit is one row too much", "internal.ring.PulledCredit",
            in("take").call("UnsafeBuffer.getLongVolatile").add(1), staged(10)),
        mutant("heads are settled before their position is passed", "internal.ring.PendingHeads",
            in("settle").field("positions").ignoreCondition(), slow(1, 3, "ring")),
        mutant("staged rows count as arrived one too early", "internal.ring.Staging",
            in("arrived").call("SignalRegion.getAcquire").add(1), staged(1)),
        mutant("staged rows of a call before count as arrived", "internal.ring.Staging",
            in("begin").call("RingPuts.sent").give(0), staged(3)));

    private static final List<Mutant> CALLS = List.of(
        mutant("a counts message is read whichever call it is of", "internal.normal.Notify",
            in("areOutSeen").call("SignalRegion.getAcquire").ignoreCondition(), device(1)),
        mutant("a counts message within a node is read whichever call it is of", "internal.normal.Notify",
            in("areUpSeen").call("SignalRegion.getAcquire").ignoreCondition(), device(1)),
        mutant("ranks' calls are not compared", "internal.normal.Notify",
            in("compare").call("CallHeader.difference").give(0),
            new Probe(MISMATCH, "shouldNameBothRanksWhenTheAlignmentDiffers")),
        mutant("counts of streams are written where those of experts are", "internal.normal.Notify",
            in("writeCounts").call("CountsMessage.streamRows").callInstead("expertRows"), host(1)),
        mutant("a rank is told of one row less than it gets", "internal.normal.Notify",
            in("writeCounts").call("SendLayout.rowsToRank").add(-1), host(1)),
        mutant("the last words of a header are not compared", "internal.wire.CallHeader",
            in("difference").constant(12).add(-3), new Probe(MISMATCH, "shouldNameBothRanksWhenTheAlignmentDiffers")),
        mutant("counts of two ranks lie in one word", "internal.wire.CountsMessage",
            in("rankRows").constant(1).give(0), host(2)),
        mutant("a word says one more than was written", "internal.wire.EncodedWord",
            in("get").operation(Opcodes.INEG).add(1), device(1)),
        mutant("the first row of a source is told one too far", "internal.normal.ClearToSendRole",
            in("starts").call("EncodedWord.put").addToLastArgument(1), host(5)),
        mutant("what is clear to send is read before it is told", "internal.connect.PeerMemories",
            in("isKnown").call("SignalRegion.getAcquire").ignoreCondition(), host(1)),
        mutant("what is clear to send counts whichever form it has", "internal.connect.PeerMemory",
            in("read").call("ClearToSend.form").ignoreCondition(), host(1)),
        mutant("rows of two streams are told by one signal", "internal.connect.SignalMap",
            in("rowsUp").call("Geometry.streamUp").give(0), host(3)),
        mutant("a call ends before its roles have", "internal.runtime.Conductor",
            in("isFinished").answer(1), device(1)),
        mutant("the first row of padding is not blanked", "internal.normal.PaddingFiller",
            in("collect").call("ReceiveLayout.countOf").add(1), device(19)));

    private static final List<Mutant> PLANS = List.of(
        mutant("an expert that needs no padding gets some", "internal.plan.ReceiveLayout",
            in("conclude").operation(Opcodes.ISUB).nth(2, 2).add(1), host(1)),
        mutant("rows of a rank before are left out of a place", "internal.plan.ReceiveLayout",
            in("channelStart").call("ReceiveLayout.rankStart").give(0), host(3)),
        mutant("a channel has one row less for a node", "internal.plan.SendLayout",
            in("rowsToNode").addToResult(-1), device(1)),
        mutant("rows of the next block are placed over those before", "internal.plan.ForwardTable",
            in("writeRankMajor").field("entries").give(0), blocks("1, 1100, 1")),
        mutant("prefixes are left out of places", "internal.plan.ForwardTable",
            in("plan").call("MetadataBlock.prefix").give(0), host(5)),
        mutant("ranks that read in place are summed in descending order", "internal.plan.ForwardTable",
            in("writeRankMajor").call("Long.numberOfTrailingZeros").by("highest")
            .and(in("writeRankMajor").operation(Opcodes.LAND).by("withoutHighest")), host(8)),
        mutant("rows of the first token are sent for all", "internal.plan.ForwardTable",
            in("keep").call("UnsafeApi.getInt").give(0), host(3)),
        mutant("rows are counted as places", "internal.plan.ForwardTable",
            in("placesOf").field("placesOf").readInstead("rowsTo"),
            new Probe(ENGINE + "internal.plan.ForwardTableTest", "shouldPlaceRowsBehindThoseOfTheSameRankOrExpert")),
        mutant("places of a stream do not begin at its own", "internal.plan.ForwardTable",
            in("place").call("System.arraycopy").leaveOut(0), host(3)),
        mutant("a part of a table is written while row kernels read it", "internal.plan.SegmentedTable",
            in("isFree").field("positions").ignoreCondition(), longTables(2, 2, "direct")),
        mutant("a part of a table is written before its rows have gone on", "internal.plan.SegmentedTable",
            in("isFree").field("read").give(Integer.MAX_VALUE), longTables(2, 2, "ring")),
        mutant("a long table stays as the call before has left it", "internal.plan.SegmentedTable",
            in("rewind").call("SegmentedTable.isWhole").give(1), longTables(1, 3, "direct")),
        mutant("rows of the part before are in the next one", "internal.plan.ForwardTable",
            in("write").call("SegmentedTable.index").nth(1, 2).give(1), longTables(1, 2, "direct")),
        mutant("copies are counted by the experts of the first row", "internal.plan.ChannelPlaces",
            in("advance").field("at").give(0), host(5)),
        mutant("sums stay although nodes are parts of them now", "internal.plan.CombineTable",
            in("open").field("isInParts").flip(),
            new Probe(ENGINE + "internal.plan.CombineTableTest", "shouldWriteAnewWhereNodesAreToBePartsOfASum")),
        mutant("a source is relayed by the first rank of a node", "internal.world.Relays",
            in("relay").call("World.localOf").give(0),
            new Probe(ENGINE + "internal.world.RelaysTest",
                "shouldRelayAtTheRankOfTheSameRailAndWithinANodeAtTheSource")),
        mutant("a stream's index counts those of all relays", "internal.world.Relays",
            in("ownStream").call("Relays.relay").nth(2, 2).ignoreCondition(), host(1)));

    private static final List<Mutant> LOW_LATENCY = List.of(
        mutant("the fence between rows and their word is left out", "lowlatency.FarPosts$Peer",
            in("tell").call("Channel.fence").leaveOut(0), callsOnDevice(16)),
        mutant("a put that was not taken is not tried again", "lowlatency.FarPosts$Peer",
            in("isAccepted").answer(1), calls(2)),
        mutant("posts are released while channels read what they name", "lowlatency.FarPosts$Peer",
            in("isReleased").call("Channel.releasedPosition").give(Long.MAX_VALUE),
            new Probe(ENGINE + "lowlatency.FarPostsTest", "shouldReleaseWhatWasPostedOnceNoChannelReadsIt")),
        mutant("a half of a call ends before its steps have", "lowlatency.ListedExchange",
            in("isOver").call("ListedSession.completedPosition").give(Long.MAX_VALUE), calls(1)),
        mutant("rows of a rank that did not come count as received", "lowlatency.ListedExchange",
            in("received").call("ListedSession.hasPacked").give(1), deaths(1)),
        mutant("a rank that one lane has lost takes part in the other", "lowlatency.RankMask",
            in("mask").call("StepSession.mask").leaveOut(0),
            new Probe(MASKED, "shouldWriteNothingToAMaskedRank")),
        mutant("a rank that the rendezvous lost is not masked", "lowlatency.RankMask",
            in("maskIfGone").call("RankMask.mask").nth(1, 2).leaveOut(0),
            new Probe(MASKED, "shouldMaskARankThatTheRendezvousLostWithoutWaiting")),
        mutant("channels to a masked rank stay open", "lowlatency.RankMask",
            in("closeChannels").call("PeerLink.revoke").leaveOut(0),
            new Probe(MASKED, "shouldCloseChannelsAtOnceBetweenCalls")),
        mutant("a cleared rank takes part in no lane", "lowlatency.LowLatencyParts",
            in("clear").call("Exchange.activate").leaveOut(0),
            new Probe(CLEARED, "shouldTakeARankBackThatBothSidesClear", 5L)),
        mutant("a rank that is near is taken for one that is not", "lowlatency.PeerLink",
            in("tellReach").field("ownRank").give(0), calls(1)));

    private static final List<Mutant> ENGINES = List.of(
        mutant("engines of a context take part in each other's exchanges", "internal.connect.EngineScope",
            in("allGather").field("number").give(0), new Probe(CONTEXT, "shouldCarryBothModesAtOnce", 1L)),
        mutant("engines of a context have the same workers", "internal.connect.SharedTransport",
            in("takeWorkers").call("BitSet.set").leaveOut(0), new Probe(CONTEXT, "shouldCarryBothModesAtOnce", 1L)),
        mutant("an engine hears the first one's others", "internal.connect.EngineNews",
            in("onAnnouncement").call("ByteBuffer.getInt").nth(2, 2).give(0),
            new Probe(NEWS, "shouldTellAnEngineWhatItsOwnOthersSay")),
        mutant("memory is freed while other ranks may write to it", "internal.connect.EngineNews$Box",
            in("isClosedByOthers").answer(1),
            new Probe(NEWS, "shouldFreeMemoryWhenAllRanksHaveClosed")),
        mutant("rows go to the experts of an absent rank", "internal.plan.TopkReader",
            in("learnExperts").call("World.isPresent").give(1), withoutSomeRanks(2)),
        mutant("an absent rank of the node is waited for", "internal.normal.Notify",
            in("begin").call("Geometry.isAbsent").give(0), withoutSomeRanks(2)),
        mutant("a call ends with a view before others agree", "internal.runtime.GroupAgreement",
            in("learn").call("GroupView.epoch").give(1), losses(2)));

    private static final List<Mutant> MASKED_RANKS = List.of(
        mutant("a call ends while the ranks agree on who is left", "internal.runtime.GroupAgreement",
            in("count").call("Membership.isBound").give(0),
            new Probe(ENGINE + "internal.runtime.GroupAgreementTest",
            "shouldHaveACallCountOnAllRanksOrOnNone")),
        mutant("handles from before a return are routed again", "internal.runtime.MaskingEngine",
            in("isTooOld").answer(0), readmission("shouldReadmitRanksThatWereLost")),
        mutant("a process that has returned begins with another call", "internal.runtime.MaskingEngine",
            in("awaitAdmission").operation(Opcodes.LSUB).add(1), readmission("shouldReadmitRanksThatWereLost")),
        mutant("one rank's word suffices to readmit a process", "internal.runtime.MaskedReadmission",
            in("knownToAll").call("Set.retainAll").leaveOut(0),
            new Probe(ENGINE + "internal.runtime.MaskedReadmissionTest", "shouldKeepWhatAllRanksKnow")),
        mutant("rows of an expert go where another's were", "internal.runtime.RowMoves",
            in("move").call("ReceiveLayout.expertStart").nth(1, 2).add(1), maskedRanks(2)),
        mutant("selections that were left out before are not counted", "internal.runtime.MaskedHandle",
            in("leftOutBefore").answer(0), maskedRanks(2)));

    private static final List<Mutant> STEPS = List.of(
        mutant("all sources begin with the same row", "internal.steps.Starts",
            in("order").call("Peers.isActive").give(0), steps(1)),
        mutant("rows of a lost rank stay in the ranges", "internal.steps.Await",
            in("isDone").call("Starts.withdraw").leaveOut(0), steps(95)),
        mutant("words of any call are read", "internal.steps.Peers",
            in("hasCome").answer(1), steps(1)),
        mutant("each dispatch has the same number", "internal.steps.Call",
            in("begin").operation(Opcodes.LADD).add(-1), steps(1)),
        mutant("a rank that waits gives no signs of life", "internal.steps.ListedSession",
            in("progress").call("Peers.giveSigns").leaveOut(0), steps(1)),
        mutant("signs of life renew no grant", "internal.steps.Peers",
            in("giveSigns").call("Peers.isLeaseValid").give(0), steps(1)),
        mutant("a rank tells of one slot less than it has filled", "internal.steps.Place",
            in("slotsOf").addToResult(-1), steps(2)),
        mutant("a row in a slot is taken for that of the token behind", "internal.steps.Headers",
            in("token").addToResult(1), steps(2)),
        mutant("what peers have stored is not acquired", "internal.steps.Await",
            in("isDone").call("Await.acquire").leaveOut(0), stepsOnDevice(1)),
        mutant("answers of a lost rank stay in the sums", "internal.steps.Reduce",
            in("list").call("Peers.isActive").give(1), deaths(19)),
        mutant("a wait ends before words have come", "internal.steps.Await",
            in("isDone").call("Wait.isOver").give(1), calls(1)),
        mutant("a combine ends before its sums are made", "internal.steps.Reduce",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), callsOnDevice(1)),
        mutant("a dispatch ends before its rows are packed", "internal.steps.Pack$Slots",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), callsOnDevice(1)),
        mutant("ranks are told of rows that are not stored yet", "internal.steps.Place",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), callsOnDevice(4)),
        mutant("ranks are told of answers that are not stored yet", "internal.steps.SendAnswers",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), callsOnDevice(11)),
        mutant("answers are those of a source's first row", "internal.steps.SendAnswers",
            in("list").call("Headers.slot").give(0), calls(1)),
        mutant("the last row of a chunk is not posted", "internal.steps.SendRows",
            in("post").call("Math.min").add(-1), calls(2)),
        mutant("an entry shows before the rows that it names are there", "internal.steps.Place",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), posts()),
        mutant("an entry shows before the answers that it names are there", "internal.steps.SendAnswers",
            in("isDone").call("RowKernels.completedPosition").give(Long.MAX_VALUE), posts()),
        mutant("send blocks are written before their posts are released", "internal.steps.ListedSession",
            in("isFree").call("StepFifo.isReleased").give(1), released()),
        mutant("posts are waited for though no far rank is left", "internal.steps.ListedSession",
            in("isFree").call("Peers.isAnyFarActive").give(1), released()),
        mutant("posts that nobody takes are waited for without end", "internal.steps.ListedSession",
            in("isFree").call("Peers.maskFar").leaveOut(0), released()),
        mutant("counts are not posted to far ranks", "internal.steps.Counts",
            in("tell").call("Peers.post").leaveOut(0), calls(2)),
        mutant("far ranks get no signs of life", "internal.steps.Peers",
            in("giveSign").call("Peers.post").leaveOut(0),
            new Probe(MASKED, "shouldKeepARankThatWasHeldUpByAnother", 22L)),
        mutant("answers that were pushed are looked for at their owner", "internal.steps.Reduce",
            in("list").call("Await.isPushed").give(0), calls(1)),
        mutant("ranks that are masked are told all the same", "internal.steps.Tell",
            in("begin").call("Peers.isActive").give(1), new Probe(MASKED, "shouldWriteNothingToAMaskedRank")),
        mutant("a rank that is silent is waited for as one that waits", "internal.steps.Wait",
            in("isSettled").call("Peers.isSilent").give(0),
            new Probe(MASKED, "shouldKeepARankThatWasHeldUpByAnother", 21L)),
        mutant("what a rank told before it left is not looked for", "internal.steps.Wait",
            in("isSettled").call("PeerNews.isGone").give(1), calls(1)),
        mutant("a rank that takes part again stays masked", "internal.steps.ListedSession",
            in("activate").call("Peers.activate").leaveOut(0), steps(1)));

    private static final List<Mutant> VIEWS = List.of(
        mutant("a take-over forgets what was voted for", "internal.membership.Membership",
            in("value").call("Proposal.highest").nth(1, 2).leaveOut(0), views("shouldAgreeWhereThreeRanksDie")),
        mutant("a minority decides", "internal.membership.GroupView",
            in("isDecidedBy").call("RankSet.size").nth(2, 3).add(-2),
            views("shouldAgreeWhereLinksOfThreeRanksAreCutAndOneDies")),
        mutant("a view is decided before its members have voted", "internal.membership.Proposal",
            in("isDecided").call("RankSet.containsAll").give(1), views("shouldReadmitWhereTwoRanksDie")),
        mutant("a take-over does not look at the epoch", "internal.membership.Membership",
            in("receive").call("Membership.isOfThisView").give(1),
            new Probe(ENGINE + "internal.membership.MembershipTest", "shouldNotVoteInAViewThatIsOver")),
        mutant("a link is sound where one end hears the other", "internal.membership.Links",
            in("isSound").call("Links.hears").nth(2, 2).give(1), views("shouldAgreeWhereLinksOfThreeRanksAreCut")));

    /** Mutants by which worlds wait for what never comes, up to the bound of the test. */
    static final List<Mutant> SLOW = List.of(
        mutant("ranks that vote do not hear of the view", "internal.runtime.GroupAgreement",
            in("isAboutTheView").answer(0), losses(2)),
        mutant("a call ends before other ranks are done with it", "internal.normal.Confirmation",
            in("isComplete").answer(1), maskedRanks(2)),
        mutant("ranks of other nodes are not waited for", "internal.normal.Confirmation",
            in("missingSource").answer(-1), maskedRanks(2)),
        mutant("a call that ended on one rank is made again by the others", "internal.runtime.GroupAgreement",
            in("isCounted").answer(0), maskedRanks(1)),
        mutant("an exchange is not left when the engine ends", "internal.runtime.MaskingEngine",
            in("stopTelling").call("Thread.interrupt").leaveOut(0),
            readmission("shouldLeaveAReadmissionThatALossInterrupts")),
        mutant("the view does not readmit what all know of", "internal.runtime.GroupAgreement",
            in("readmit").call("Membership.receive").leaveOut(0), readmission("shouldReadmitRanksThatWereLost")),
        mutant("rows of a lost rank stay among those of others", "internal.runtime.MaskedCombine",
            in("isInOrder").answer(1), maskedRanks(2)));

    /** All others. */
    static final List<Mutant> ALL =
        Stream.of(METADATA, DISPATCH, COMBINE, RINGS, CALLS, PLANS, LOW_LATENCY, ENGINES, STEPS, VIEWS,
            MASKED_RANKS)
        .flatMap(List::stream).toList();

    private EngineMutants()
    {
    }

    private static Mutant mutant(final String name, final String className, final Edit edit, final Probe probe)
    {
        return new Mutant(name, ENGINE + className, edit, probe);
    }

    /** Whole calls of several blocks: {@code nodes, tokens, channels}, or a layout without windows. */
    private static Probe blocks(final String what)
    {
        final String[] parts = what.split(", ");
        return 1 == parts.length ? new Probe(BLOCKS, "shouldDeliverManyBlocksWithoutWindows", what, "direct") :
            new Probe(BLOCKS, "shouldDeliverManyBlocks", Integer.parseInt(parts[0]), Integer.parseInt(parts[1]),
            Integer.parseInt(parts[2]), false);
    }

    /** Ranks that use their tensors for something else as soon as their call is done; their row kernels are slow. */
    private static Probe slow(final int nodes, final int ranks, final String placement)
    {
        return new Probe(ENGINE + "ReleasedTensorsTest", "shouldKeepWhatSlowRowKernelsAreToRead", nodes, ranks,
            placement, "RANK_MAJOR");
    }

    /** As above, with tables of which row kernels see some rows at a time. */
    private static Probe longTables(final int nodes, final int ranks, final String placement)
    {
        return new Probe(ENGINE + "ReleasedTensorsTest", "shouldKeepPartsOfTablesThatSlowRowKernelsAreToRead", nodes,
            ranks, placement, "RANK_MAJOR");
    }

    /** All states that worlds of two or three ranks can come to. */
    private static Probe views(final String method)
    {
        return new Probe(ENGINE + "internal.membership.MembershipExplorationTest", method);
    }

    private static Probe ring(final String method)
    {
        return new Probe(ENGINE + "internal.ring.RingTest", method);
    }

    private static Probe host(final long seed)
    {
        return new Probe(WORLDS, "runOnHost", seed);
    }

    private static Probe withoutSomeRanks(final long seed)
    {
        return new Probe(WORLDS, "runWithoutSomeRanks", seed);
    }

    private static Probe maskedRanks(final long seed)
    {
        return new Probe(MASKED_RANKS_WORLDS, "run", seed);
    }

    private static Probe readmission(final String test)
    {
        return new Probe(ENGINE + "MaskedRanksTest", test);
    }

    private static Probe losses(final long seed)
    {
        return new Probe(LOSSES, "run", seed);
    }

    private static Probe device(final long seed)
    {
        return new Probe(WORLDS, "runOnDevice", seed);
    }

    private static Probe staged(final long seed)
    {
        return new Probe(WORLDS, "runStaged", seed);
    }

    private static Probe steps(final long seed)
    {
        return new Probe(STEP_WORLDS, "runOnHost", seed);
    }

    private static Probe stepsOnDevice(final long seed)
    {
        return new Probe(STEP_WORLDS, "runOnDevice", seed);
    }

    /** Far ranks whose entries are taken as soon as they show. */
    private static Probe posts()
    {
        return new Probe(ENGINE + "internal.steps.ListedStepsTest", "stp10EntriesNameWhatIsThere");
    }

    /** Far ranks whose entries are taken, and not released. */
    private static Probe released()
    {
        return new Probe(ENGINE + "internal.steps.ListedStepsTest", "stp12SendBlocksAreWrittenOnceReleased");
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

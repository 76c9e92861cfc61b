/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runtimes and devices with troubles, each in a process of its own, since a process opens one runtime for good. */
class ScenarioTest
{
    private static final String NOTHING_LEFT =
        "ACL emulator: left at exit: 0 streams, 0 events, 0 allocations, 0 pinned, 0 exports, 0 imports";

    @Test
    void shouldBeAvailableOnTheEmulatorAndSaySo()
    {
        assertEquals("available: ACL emulator 1 as CANN 8.3.emulator, SoC EMULATOR", run("", "probe"));
    }

    @Test
    void shouldSayThatThereIsNoRuntime()
    {
        final String said = run("", "probe", "library=libno-such-runtime.so");
        assertTrue(said.startsWith("unavailable: the ACL runtime libno-such-runtime.so cannot be opened ("), said);
    }

    @Test
    void shouldSayThatTheDeviceIsNone()
    {
        final String said = run("", "probe", "device=7");
        assertEquals("unavailable: there is no device 7: this process sees 2, set transload.hccs.device to auto or " +
            "to a number in [0, 2)", said);
    }

    @Test
    void shouldSayThatProcessesCannotShareMemory()
    {
        final String said = run("aclrtIpcMemImportByKey=missing", "probe");
        assertTrue(said.startsWith("unavailable: ACL emulator 1 as CANN 8.3.emulator, SoC EMULATOR has no aclrtIpc"),
            said);
    }

    @Test
    void shouldDeliverWhereNothingIsWrong()
    {
        assertEquals("delivered", run("", "put"));
        assertEquals("delivered", run("", "hand"));
    }

    /** Each rank's device tries one copy when it is opened, so that the third is the first of a channel. */
    @ParameterizedTest
    @CsvSource({
        "copy:3=link-down, ACL_ERROR_RT_LINK_ERROR (507056",
        "aclrtMemcpyAsync:1=507899, ACL_ERROR_RT_DRV_INTERNAL_ERROR (507899",
        "aclrtQueryEventStatus:1=107023, ACL_ERROR_RT_STREAM_ABORT (107023",
    })
    void shouldFailTheChannelWithCallCodeTextAndDevice(final String plan, final String text)
    {
        final String said = run(plan, "hand");
        assertTrue(said.startsWith("failed: transport hccs: the channel to rank 1 "), said);
        assertTrue(said.contains(" failed on emulator device 0 (EMULATOR): " + text), said);
        assertTrue(said.endsWith("; then -4"), said);
    }

    @ParameterizedTest
    @Thorough("other codes and calls of the same")
    @CsvSource({
        "copy:3=507013, ACL_ERROR_RT_SYS_DMA (507013",
        "copy:3=507053, ACL_ERROR_RT_DEVICE_MEM_ERROR (507053",
        "copy:3=lost-heartbeat, ACL_ERROR_RT_LOST_HEARTBEAT (507010",
        "aclrtRecordEvent:1=507001, ACL_ERROR_RT_TS_ERROR (507001",
    })
    void shouldFailTheChannelByAnyCall(final String plan, final String text)
    {
        shouldFailTheChannelWithCallCodeTextAndDevice(plan, text);
    }

    @ParameterizedTest
    @CsvSource({
        "aclrtMalloc:3=507899, aclrtMalloc",
        "aclrtMallocHost:2=107000, aclrtMallocHost",
        "aclrtMemsetAsync:1=507013, aclrtMemsetAsync",
        "set:1=507053, aclrtSynchronizeStreamWithTimeout",
        "aclrtIpcMemGetExportKey:1=207006, aclrtIpcMemGetExportKey",
        "aclrtDeviceEnablePeerAccess:1=207000, aclrtDeviceEnablePeerAccess",
        "aclrtSetStreamFailureMode:3=107003, aclrtSetStreamFailureMode",
        "aclrtCreateEventExWithFlag:5=507001, aclrtCreateEventExWithFlag",
    })
    void shouldLeaveNothingBehindWhereOpeningFails(final String plan, final String call)
    {
        final String said = run(plan, "open");
        assertTrue(said.startsWith("refused: " + call + " failed on emulator device "), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"aclrtIpcMemClose", "aclrtFree", "aclrtFreeHost", "aclrtDestroyStreamForce",
        "aclrtDestroyEvent", "aclrtStreamAbort"})
    void shouldOfferAgainWhatWasNotTakenBack(final String call)
    {
        assertEquals("delivered", run(call + ":1=507001", "put"));
    }

    /** What was tried is not used where it failed, or the third copy would fail the channel. */
    @Test
    void shouldCopyRowsOneByOneWhereCopiesByPitchesAreRefused()
    {
        assertEquals("delivered", run("", "rows"));
        final String plan = "aclrtMemcpy2dAsync:1=207000;aclrtMemcpy2dAsync:2=107000;aclrtMemcpy2dAsync:3=507899";
        assertEquals("delivered", run(plan, "rows"));
        assertTrue(run("aclrtMemcpy2dAsync:3=507899", "rows").contains("aclrtMemcpy2dAsync failed on emulator"));
    }

    /** The first copy is a trial, by pitches; the others bring a row to the CPU and its sum back. */
    @ParameterizedTest
    @CsvSource({
        "copy:2=507013, ACL_ERROR_RT_SYS_DMA (507013",
        "copy:5=507899, ACL_ERROR_RT_DRV_INTERNAL_ERROR (507899",
        "aclrtMallocHost:1=207001, ACL_ERROR_RT_MEMORY_ALLOCATION (207001",
    })
    void shouldFailRowKernelsWithCallCodeTextAndDevice(final String plan, final String text)
    {
        final String said = run(plan, "sum");
        assertTrue(said.startsWith("failed: row kernels of emulator device 0 (EMULATOR) failed: "), said);
        assertTrue(said.contains(" failed on emulator device 0 (EMULATOR): " + text), said);
    }

    @ParameterizedTest
    @Thorough("other codes and calls of the same")
    @CsvSource({
        "copy:3=507053, ACL_ERROR_RT_DEVICE_MEM_ERROR (507053",
        "copy:4=lost-heartbeat, ACL_ERROR_RT_LOST_HEARTBEAT (507010",
        "aclrtMemcpyAsync:1=507899, ACL_ERROR_RT_DRV_INTERNAL_ERROR (507899",
        "aclrtRecordEvent:1=507001, ACL_ERROR_RT_TS_ERROR (507001",
    })
    void shouldFailRowKernelsByAnyCall(final String plan, final String text)
    {
        shouldFailRowKernelsWithCallCodeTextAndDevice(plan, text);
    }

    @Test
    void shouldGiveUpStalledRowKernels()
    {
        final String said = run("copy:3=hang", "sum", "timeout-ms=200");
        assertTrue(said.contains("ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046"), said);
    }

    /** The first four reductions are the probe's of F32, by which it finds out. */
    @Test
    void shouldSumByTheCpuWhereTheDeviceCannot()
    {
        assertEquals("summed", run("", "sum", "reduce=device"));
        assertTrue(run("reduce:9=507013", "sum", "reduce=device").contains("ACL_ERROR_RT_SYS_DMA (507013"));
        assertEquals("summed", run("aclrtReduceAsync=missing", "sum", "reduce=device"));
        assertEquals("summed", run("reduce:2=507013;reduce:4=507013", "sum", "reduce=device"));
        assertEquals("summed", run("aclrtReduceAsync:1=100000", "sum", "reduce=device"));
    }

    @Test
    void shouldGiveUpStalledWork()
    {
        final String said = run("copy:3=hang", "hand", "timeout-ms=200");
        assertTrue(said.contains("ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046"), said);
    }

    /** What the scenario says; nothing is left behind, whatever went wrong. */
    private static String run(final String plan, final String scenario, final String... options)
    {
        final List<String> args = new ArrayList<>(List.of(scenario, "library=" + Emulator.library()));
        // A later option of the same key counts.
        args.addAll(List.of(options));
        try (ChildJvm child = new ChildJvm(
            Map.of("FAULTS", plan, "ACCOUNTS", "1"), ScenarioMain.class, args.toArray(new String[0])))
        {
            final List<String> said = child.finish();
            assertEquals("exit 0", said.get(said.size() - 1), said::toString);
            final boolean hasRuntime = said.stream().noneMatch((line) -> line.contains("cannot be opened"));
            assertTrue(!hasRuntime || said.contains(NOTHING_LEFT), said::toString);
            return said.stream().filter((line) -> line.startsWith("it is ")).findFirst()
                .orElseThrow(() -> new AssertionError(said)).substring("it is ".length());
        }
    }
}

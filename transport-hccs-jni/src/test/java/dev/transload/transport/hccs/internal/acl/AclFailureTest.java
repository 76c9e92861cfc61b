/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.hccs.ChildJvm;
import dev.transload.transport.hccs.Emulator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What fails says which call it was, its code, the runtime's words and the device; and nothing is left behind. */
class AclFailureTest
{
    private static final String NOTHING_LEFT =
        "ACL emulator: left at exit: 0 streams, 0 events, 0 allocations, 0 pinned, 0 exports, 0 imports";

    /** Those that can fail; aclrtGetDevice fails by itself in every thread that is new. */
    static final List<String> CALLS = List.of("aclInit", "aclrtGetDeviceCount", "aclrtQueryDeviceStatus",
        "aclrtDeviceCanAccessPeer", "aclrtGetDevicesTopo", "aclrtSetDevice", "aclrtDeviceEnablePeerAccess",
        "aclrtMalloc", "aclrtMallocHost",
        "aclrtCreateStreamWithConfig", "aclrtSetStreamFailureMode", "aclrtMemcpyAsync", "aclrtMemcpy2dAsync",
        "aclrtMemsetAsync", "aclrtReduceAsync", "aclrtValueWait", "aclrtCreateEventExWithFlag", "aclrtRecordEvent",
        "aclrtStreamWaitEvent", "aclrtSynchronizeStreamWithTimeout", "aclrtQueryEventStatus", "aclrtDestroyEvent",
        "aclrtDeviceGetBareTgid", "aclrtIpcMemImportByKey", "aclrtIpcMemClose", "aclrtIpcMemGetExportKey",
        "aclrtIpcMemSetImportPid", "aclrtStreamAbort", "aclrtDestroyStreamForce", "aclrtFreeHost", "aclrtFree");

    @Test
    void shouldNameCallCodeTextAndDeviceOfEveryCallThatFails()
    {
        final Map<String, AclCode> plan = new LinkedHashMap<>();
        for (final String call : CALLS)
        {
            plan.put(call, AclCode.ALL.get(codeFor(plan.size())));
        }

        final List<String> said = tour(plan.entrySet().stream()
            .map((entry) -> entry.getKey() + ":" + occurrence(entry.getKey()) + "=" + entry.getValue().code())
            .collect(Collectors.joining(";")));
        plan.forEach((call, code) ->
        {
            final String text = code.name() + " (" + code.code() + ", " + code.meaning() + "): emulator, " + call +
                ": the fault plan says so";
            assertEquals(1, said.stream().filter((line) -> line.startsWith("failed: ") && line.contains(call +
                " failed on ") && line.contains("emulator") && line.endsWith(text)).count(), call + ": " + said);
        });
        assertEquals(CALLS.size(), said.stream().filter((line) -> line.startsWith("failed: ")).count(), said::toString);
        assertDeviceIsNamed(said, "aclrtMalloc");
        assertTrue(said.contains("imported 42"), said::toString);
        assertNothingIsLeft(said);
    }

    @Test
    void shouldMakeAllCallsWhereNothingFails()
    {
        final List<String> said = tour("");
        assertTrue(said.stream().noneMatch((line) -> line.startsWith("failed: ")), said::toString);
        assertTrue(said.contains("imported 42"), said::toString);
        assertNothingIsLeft(said);
    }

    @Test
    void shouldTellHowTasksEnded()
    {
        final List<AclCode> codes = AclCode.ALL;
        final String plan = IntStream.range(0, codes.size())
            .mapToObj((i) -> "set:" + (i + 1) + "=" + codes.get(i).code()).collect(Collectors.joining(";"));
        final List<String> said = tasks(plan, codes.size());
        final List<String> failures = said.stream().filter((line) -> line.startsWith("failed: ")).toList();
        assertEquals(codes.size(), failures.size(), said::toString);
        for (int i = 0; i < codes.size(); i++)
        {
            final AclCode code = codes.get(i);
            assertEquals("failed: aclrtSynchronizeStreamWithTimeout failed on emulator device 0 (EMULATOR): " +
                code.name() + " (" + code.code() + ", " + code.meaning() +
                "): emulator, aclrtSynchronizeStreamWithTimeout: a task of stream 1 on device 0 ended with " +
                code.code(), failures.get(i));
        }

        assertTrue(said.contains("alive true"), said::toString);
        assertNothingIsLeft(said);
    }

    @Test
    void shouldGiveUpWorkThatHangs()
    {
        final List<String> said = tasks("set:1=hang", 1);
        assertTrue(said.get(0).contains("ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046"), said::toString);
        assertTrue(said.contains("alive true"), said::toString);
        assertNothingIsLeft(said);
    }

    @Test
    void shouldGiveBackWhatADeadDeviceHad()
    {
        final List<String> said = tasks("set:2=lost-heartbeat", 2);
        assertEquals("failed: nothing", said.get(0));
        assertTrue(said.get(1).contains("ACL_ERROR_RT_LOST_HEARTBEAT (507010"), said::toString);
        assertTrue(said.contains("alive false"), said::toString);
        assertNothingIsLeft(said);
    }

    /** All codes in turn, but for the one that aclInit may return. */
    private static int codeFor(final int index)
    {
        final int code = index % AclCode.ALL.size();
        return 0 == index ? AclCode.ALL.size() - 1 : code;
    }

    /** The stream whose failure mode can't be set is destroyed at once. */
    private static int occurrence(final String call)
    {
        return "aclrtDestroyStreamForce".equals(call) ? 2 : 1;
    }

    private static void assertDeviceIsNamed(final List<String> said, final String call)
    {
        assertTrue(said.stream().anyMatch((line) -> line.startsWith("failed: " + call +
            " failed on emulator device 0 (EMULATOR): ")), said::toString);
    }

    private static void assertNothingIsLeft(final List<String> said)
    {
        assertTrue(said.contains(NOTHING_LEFT), said::toString);
        assertEquals("exit 0", said.get(said.size() - 1), said::toString);
    }

    private static List<String> tasks(final String plan, final int count)
    {
        try (ChildJvm child = new ChildJvm(settings(plan), AclScenarioMain.class, "tasks", Emulator.library(),
            Integer.toString(count)))
        {
            return child.finish();
        }
    }

    private static List<String> tour(final String plan)
    {
        try (ChildJvm owner = new ChildJvm(settings(""), AclScenarioMain.class, "export", Emulator.library());
            ChildJvm tourist = new ChildJvm(settings(plan), AclScenarioMain.class, "tour", Emulator.library()))
        {
            final String key = owner.read("key ");
            owner.write(tourist.read("process "));
            owner.read("listed");
            tourist.write(key);
            final List<String> said = tourist.finish();
            assertNothingIsLeft(owner.finish());
            return said;
        }
    }

    private static Map<String, String> settings(final String plan)
    {
        return Map.of("FAULTS", plan, "ACCOUNTS", "1");
    }
}

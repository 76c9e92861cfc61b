/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.hccs.ChildJvm;
import dev.transload.transport.hccs.Emulator;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runtimes that can be used, in whole or in part, and others. */
class AclLibraryTest
{
    @Test
    void shouldSayThatItIsAnEmulator()
    {
        assertEquals("opened: ACL emulator 1 as CANN 8.3.emulator, SoC EMULATOR; emulator device 0 (EMULATOR); " +
            "shares true, reduces true", open(Map.of()));
    }

    @Test
    void shouldSayThatThereIsNoLibrary()
    {
        final String said = open(Map.of(), "libno-such-runtime.so");
        assertTrue(said.startsWith("refused: the ACL runtime libno-such-runtime.so cannot be opened ("), said);
        assertTrue(said.endsWith("or set transload.hccs.library to its path"), said);
    }

    @Test
    void shouldLookForTheLibrariesThatCannInstalls()
    {
        final String said = open(Map.of(), AclLibrary.DEFAULT_LIBRARY);
        assertTrue(said.startsWith("opened: CANN ") ||
            said.contains("libacl_rt.so") && said.contains("libascendcl.so"), said);
    }

    @Test
    void shouldSayThatALibraryIsNoRuntime()
    {
        final String said = open(Map.of(), "libm.so.6");
        assertTrue(said.contains("it has no function aclInit, which CANN has from 8.1 on"), said);
    }

    @Test
    void shouldNameARequiredFunctionThatIsMissing()
    {
        final String said = open(Map.of("FAULTS", "aclrtStreamAbort=missing"));
        assertTrue(said.contains("it has no function aclrtStreamAbort, which CANN has from 8.1 on"), said);
    }

    @Test
    void shouldDoWithoutOptionalFunctions()
    {
        assertTrue(open(Map.of("FAULTS", "aclrtReduceAsync=missing;aclsysGetCANNVersion=missing"))
            .endsWith("CANN unknown, SoC EMULATOR; emulator device 0 (EMULATOR); shares true, reduces false"));
        assertTrue(open(Map.of("FAULTS", "aclrtIpcMemSetImportPid=missing")).endsWith("shares false, reduces true"));
    }

    @Test
    void shouldRefuseTheFirstGeneration()
    {
        final String said = open(Map.of("SOC", "Ascend910A"));
        assertTrue(said.startsWith("refused: ACL emulator 1 as CANN 8.3.emulator, SoC Ascend910A: the first "), said);
        assertTrue(said.contains("it has no aclrtStreamAbort"), said);
    }

    @Test
    void shouldTellTheGenerationsApart()
    {
        assertNotNull(SocNames.obstacle("Ascend910B"));
        assertNotNull(SocNames.obstacle("Ascend910ProA"));
        assertNull(SocNames.obstacle("Ascend910B1"));
        assertNull(SocNames.obstacle("Ascend910_9391"));
    }

    private static String open(final Map<String, String> settings)
    {
        return open(settings, Emulator.library());
    }

    private static String open(final Map<String, String> settings, final String library)
    {
        try (ChildJvm child = new ChildJvm(settings, AclScenarioMain.class, "open", library))
        {
            return child.finish().get(0);
        }
    }
}

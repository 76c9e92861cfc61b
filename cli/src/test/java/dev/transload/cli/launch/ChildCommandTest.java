/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildCommandTest
{
    private static final List<String> FLAGS = List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:SharedArchiveFile=a.jsa",
        "-XX:TieredStopAtLevel=1", "-Ddev.transload.own-flags=-XX:+UseSerialGC,-XX:TieredStopAtLevel=1",
        "-Djava.io.tmpdir=elsewhere", "-Dtransload.rank=7");

    @Test
    void shouldInheritAllFlagsButThoseOfTheLauncherAlone()
    {
        final List<String> command = command("scalar").of(2, FLAGS, "-XX:+UseSerialGC,-XX:TieredStopAtLevel=1");

        assertEquals(List.of("-Xmx1g", "-XX:SharedArchiveFile=a.jsa", "-Djava.io.tmpdir=folder",
            "-XX:ErrorFile=folder/crash-of-rank-2.log", "-Dtransload.rank=2", "-cp"), command.subList(1, 7));
    }

    /** Flags that somebody chose for all JVMs are no flags of the launcher. */
    @Test
    void shouldInheritTheSameFlagWhereTheScriptDidNotChooseIt()
    {
        assertTrue(command("scalar").of(2, FLAGS, "").containsAll(
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
    }

    /** The JVM warns of an incubator module that it is started with. */
    @Test
    void shouldAskForVectorsOnlyWhereTheyAreWanted()
    {
        assertFalse(command("scalar").of(2, FLAGS, "").contains("jdk.incubator.vector"));
        assertFalse(command("native").of(2, FLAGS, "").contains("jdk.incubator.vector"));
        assertTrue(command("vector").of(2, FLAGS, "").contains("jdk.incubator.vector"));
    }

    private static ChildCommand command(final String kernelsMode)
    {
        return new ChildCommand("Main", Path.of("folder"), kernelsMode);
    }
}

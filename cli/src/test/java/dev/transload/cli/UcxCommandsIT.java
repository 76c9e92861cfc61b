/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the other commands say of UCX. */
@Timeout(300)
class UcxCommandsIT
{
    /**
     * In a mount namespace, every folder of a libucp.so.0 that the loader knows is replaced by links to all of its
     * other files.
     */
    private static final String HIDE_UCX = """
        set -e
        n=0
        while read -r folder; do
            n=$((n + 1))
            mkdir "real-$n" "links-$n"
            mount --bind "$folder" "real-$n"
            find "$PWD/real-$n" -mindepth 1 -maxdepth 1 ! -name 'libucp.so*' -exec ln -s -t "links-$n" {} +
            mount --bind "links-$n" "$folder"
        done < <(/sbin/ldconfig -p | sed -n 's|.*libucp\\.so\\.0 .*=> \\(.*\\)/libucp\\.so\\.0$|\\1|p' | sort -u)
        ((n > 0))
        exec "$@"
        """;

    @TempDir
    private Path folder;

    @BeforeAll
    static void shouldHaveUcx()
    {
        UcxHost.require();
    }

    @Test
    void shouldListUcx() throws Exception
    {
        final Program.End end = done(Program.start(folder, List.of(), UcxHost.SHORT_RUN, "transports", "--json"));

        final JsonNode ucx = StreamSupport.stream(end.json().get("transports").spliterator(), false)
            .filter((transport) -> "ucx".equals(transport.get("name").asText())).findFirst().orElseThrow();
        assertTrue(ucx.get("available").asBoolean(), ucx::toString);
        assertTrue(ucx.get("version").asText().matches("UCX \\d+\\.\\d+\\.\\d+ \\(jucx .*, (JNI|JNA)\\)"),
            ucx::toString);
        assertTrue(ucx.get("memory_kinds").toString().contains("\"HOST\""), ucx::toString);
    }

    @Test
    void shouldSayWhatBringsAMissingUcx() throws Exception
    {
        final Path script = Files.writeString(folder.resolve("hide-ucx"), HIDE_UCX);
        final List<String> hidden =
            List.of("unshare", "--mount", "--propagation", "private", "bash", script.toString());
        requireHiding(hidden);
        final Program.End found = done(Program.start(Files.createDirectories(folder.resolve("transports")), hidden,
            UcxHost.SHORT_RUN, "transports"));
        assertTrue(found.out().lines().anyMatch(
            "ucx: unavailable because libucp.so.0 is missing: apt-get install libucx0"::equals), found.out());
        assertTrue(found.out().lines().anyMatch("aeron: available"::equals), found.out());

        final Program.End run = Program.start(Files.createDirectories(folder.resolve("run")), hidden,
            UcxHost.SHORT_RUN, "run", "--json", "--tokens", "8", "--hidden", "128", "--experts", "8", "--topk", "2",
            "--ranks-per-node", "1", "--timeout", "60s", "--scale-out", "ucx").end();
        assertEquals(ExitCodes.UNAVAILABLE, run.exitCode(), run.err());
        assertEquals(List.of("transload: libucp.so.0 is missing: apt-get install libucx0"), run.sentences());
        assertEquals("", run.out());
    }

    /** All rules are those of {@code ProcessesConformanceIT}. */
    @Test
    void shouldShowTheRulesThatUcxKeepsBetweenProcesses() throws Exception
    {
        final List<String> rules = List.of("ORD-2", "SIG-1", "FAIL-1", "FAIL-2", "FAIL-3");
        final Map<String, String> variables = UcxHost.variables("posix,self");
        final Program.End end = done(Program.start(folder, List.of(), variables, "conformance", "ucx", "--processes",
            "--rule", String.join(",", rules)));

        final List<String> lines = end.out().lines().toList();
        assertTrue(lines.get(0).matches("ucx, UCX .*, on hardware, a process for each rank"), lines.get(0));
        for (final String rule : rules)
        {
            assertTrue(lines.stream().anyMatch((line) -> line.matches(rule + " +passed .*")), rule + " in " + lines);
        }

        assertEquals("5 rules passed, 0 failed, 0 skipped", lines.get(lines.size() - 1));
    }

    private void requireHiding(final List<String> hidden) throws Exception
    {
        final Path place = Files.createDirectories(folder.resolve("probe"));
        final List<String> probed = new ArrayList<>(hidden);
        probed.add("true");
        final ProcessBuilder probe = new ProcessBuilder(probed).directory(place.toFile())
            .redirectErrorStream(true).redirectOutput(place.resolve("said").toFile());
        try
        {
            if (0 != probe.start().waitFor())
            {
                LoudSkip.because("UCX cannot be hidden here (root is needed): " +
                    Files.readString(place.resolve("said")).trim());
            }
        }
        catch (final IOException ex)
        {
            LoudSkip.because("UCX cannot be hidden here (unshare of util-linux is needed): " + ex.getMessage());
        }
    }

    private static Program.End done(final Program program) throws Exception
    {
        final Program.End end = program.end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        return end;
    }
}

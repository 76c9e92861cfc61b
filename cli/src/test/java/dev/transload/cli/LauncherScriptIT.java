/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Standard output of the launcher script, while native code of every JVM prints to descriptor 1. */
@Timeout(300)
class LauncherScriptIT
{
    /** The JVM's own log is written by native code, here to descriptor 1, in the ranks' JVMs too. */
    static final Map<String, String> CHATTER = Map.of("JAVA_TOOL_OPTIONS", "-Xlog:gc*=info:stdout");

    @TempDir
    private Path folder;

    static boolean isChatter(final String text)
    {
        return text.lines().anyMatch((line) -> line.matches(".*\\[info *]\\[gc.*"));
    }

    @Test
    void shouldPrintNothingButTheSummaryOfARun() throws Exception
    {
        final Program.End end = Program.script(folder, List.of(), CHATTER, "run", "--json", "--verbose", "--tokens",
            "8", "--hidden", "128", "--experts", "8", "--topk", "2", "--ranks-per-node", "1", "--timeout", "120s",
            "-Dtransload.kernels.mode=scalar").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean());
        assertTrue(isChatter(end.err()), end.err());
        assertTrue(end.err().lines().anyMatch((line) -> line.startsWith("rank 1: ") && isChatter(line)), end.err());
    }

    @Test
    void shouldPrintNothingButTheTransportsFound() throws Exception
    {
        final Program.End end = Program.script(folder, List.of(), CHATTER, "transports", "--json").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("transports").size() >= 1);
        assertTrue(isChatter(end.err()), end.err());
    }

    /** It stands in the jar. */
    @Test
    void shouldTellTheVersion() throws Exception
    {
        final Program.End end = Program.script(folder, List.of(), Map.of(), "--version").end();

        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.out().matches("transload \\d+\\.\\d+\\S*, commit \\S+, Java .*\\R"), end.out());
        assertEquals("", end.err());
    }

    /** Two commands share one file, as in {@code (a; b) > file}: each goes on where the other has stopped. */
    @Test
    void shouldWriteWhereStandardOutputStands() throws Exception
    {
        final String script = Program.scriptFile().toString();
        final Path file = folder.resolve("both");
        final Process shell = new ProcessBuilder("bash", "-c",
            "(echo before; \"$0\" transports --json; echo after) >\"$1\"", script, file.toString())
            .directory(folder.toFile()).redirectError(folder.resolve("err").toFile()).start();
        assertEquals(0, shell.waitFor(), () -> read(folder.resolve("err")));

        final String text = read(file);
        assertTrue(text.startsWith("before\n{") && text.endsWith("}\nafter\n"), text);
        assertTrue(new ObjectMapper().readTree(text.substring(text.indexOf('{'), text.lastIndexOf('}') + 1))
            .has("transports"), text);
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.Plugins;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transport of the guide, in a jar of its own that is not on the class path. */
class PluginTest
{
    private static final String CLASS_PATH = "java.class.path";

    @TempDir
    private static Path folder;
    private static Path jar;

    @BeforeAll
    static void makeJar() throws IOException
    {
        jar = MmapJar.in(folder);
    }

    @Test
    void shouldBeListedAndForgottenAtTheEnd() throws Exception
    {
        final ClassLoader loader = Thread.currentThread().getContextClassLoader();
        final String classPath = System.getProperty(CLASS_PATH);
        final Program.End listed = SmallRun.command("transports", "--json", "--plugin", jar.toString());

        assertEquals(ExitCodes.DONE, listed.exitCode(), listed.err());
        final List<String> found = new ArrayList<>();
        for (final JsonNode transport : listed.json().get("transports"))
        {
            found.add(transport.get("name").asText());
            assertEquals("mmap".equals(transport.get("name").asText()), jar.toString().equals(
                transport.get("jar").asText()), transport::toString);
        }

        assertEquals(List.of("aeron", "hccs", "mmap", "nvlink", "ucx"), found);
        assertSame(loader, Thread.currentThread().getContextClassLoader());
        assertEquals(classPath, System.getProperty(CLASS_PATH));
        assertFalse(SmallRun.command("transports").out().contains("mmap"));
        final String text = SmallRun.command("transports", "--plugin", jar.toString()).out();
        assertTrue(text.contains(String.format("  runs on   mapped files%n")), text);
    }

    @Test
    void shouldCarryARun() throws Exception
    {
        final Program.End run = SmallRun.command("run", "--json", "--in-process", "--plugin", jar.toString(),
            "--scale-up", "mmap", "--scale-out", "mmap", "--tokens", "16", "--hidden", "64", "--experts", "8", "--topk",
            "2");

        assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
        assertTrue(run.json().get("verified").asBoolean());
        assertEquals("mmap", run.json().at("/transports/scale_up/name").asText());
        assertEquals("mmap", run.json().at("/transports/scale_out/name").asText());
    }

    @Test
    void shouldStandAtTheEndOfTheClassPathOfRanks()
    {
        final String before = System.getProperty(CLASS_PATH);
        final Plugins plugins = Plugins.open(List.of(jar));
        try
        {
            assertEquals(before + File.pathSeparator + jar.toAbsolutePath(), System.getProperty(CLASS_PATH));
        }
        finally
        {
            plugins.close();
        }
    }

    @Test
    void shouldRefuseWhatIsNoJarOfATransport() throws Exception
    {
        final Path text = Files.writeString(folder.resolve("text.jar"), "This is no jar.");
        final Path empty = MmapJar.of(folder.resolve("empty.jar"), Files.createDirectories(folder.resolve("nothing")));
        assertRefused(folder.resolve("none.jar"), ": there is no such file");
        assertRefused(text, ": it cannot be read as a jar: ");
        assertRefused(folder, ": it is a folder, must be a jar");
        assertRefused(empty, ": it brings no transport, since it has no " + MmapJar.SERVICE);
        final Path apart = Files.copy(jar, Files.createDirectories(folder.resolve("a" + File.pathSeparator + "b"))
            .resolve("mmap.jar"));
        assertRefused(apart, ": class paths cannot have " + File.pathSeparator + " in a name");
        final Program.End end = SmallRun.command("run", "--plugin", text.toString());
        assertEquals(ExitCodes.BAD_INPUT, end.exitCode());
        assertEquals(1, end.err().lines().count(), end.err());
        assertTrue(end.err().startsWith("transload: --plugin " + text + ": it cannot be read as a jar: "), end.err());
        // What one jar needs, another may bring.
        Plugins.open(List.of(empty, jar)).close();
    }

    private static void assertRefused(final Path path, final String reason)
    {
        final CommandException refused =
            assertThrows(CommandException.class, () -> Plugins.open(List.of(path)));
        assertEquals(ExitCodes.BAD_INPUT, refused.exitCode());
        assertTrue(refused.getMessage().startsWith("--plugin " + path + reason), refused.getMessage());
    }

    /** A JVM passes over what it cannot read on its class path, and says nothing. */
    @Test
    void shouldRefuseABrokenJarAmongTheExtensions() throws Exception
    {
        final Path broken = Files.createDirectories(folder.resolve("lib/ext")).resolve("broken.jar");
        Files.writeString(broken, "This is no jar.");
        final String before = System.getProperty(CLASS_PATH);
        System.setProperty(CLASS_PATH, before + File.pathSeparator + broken);
        try
        {
            final CommandException refused = assertThrows(CommandException.class, () -> Plugins.open(List.of()));
            assertTrue(refused.getMessage().startsWith(broken + ": it cannot be read as a jar: "),
                refused.getMessage());
        }
        finally
        {
            System.setProperty(CLASS_PATH, before);
        }
    }
}

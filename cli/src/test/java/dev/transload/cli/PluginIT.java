/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that are processes find what the command line was told of. */
@Timeout(300)
class PluginIT
{
    private static final int SIGTERM = 15;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @TempDir
    private Path folder;

    @Test
    void shouldBeInheritedByRanksOfARunAndOfTheKit() throws Exception
    {
        final String jar = MmapJar.in(folder).toString();
        final Program run = Program.startShort(folder, "run", "--json", "--plugin", jar, "--scale-up", "mmap",
            "--nodes", "1", "--ranks-per-node", "2", "--tokens", "8", "--hidden", "64", "--experts", "4", "--topk",
            "2", "--timeout", "120s", "-Dtransload.kernels.mode=scalar");
        final Program.End end = run.end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean(), end.out());
        assertEquals("mmap", end.json().at("/transports/scale_up/name").asText());
        assertEquals(List.of(), run.left());

        final Program.End kit = Program.startShort(folder, "conformance", "mmap", "--json", "--plugin", jar,
            "--processes", "--rule", "ORD-2").end();
        assertEquals(ExitCodes.DONE, kit.exitCode(), kit.err());
        assertEquals("mmap", kit.json().get("transport").asText());
    }

    /** Ranks that a signal ends run no clean-up of their own. */
    @Test
    void shouldLeaveNoFilesOfATransportWhenItIsEnded() throws Exception
    {
        final Program run = Program.startShort(folder, "run", "--json", "--plugin", MmapJar.in(folder).toString(),
            "--scale-up", "mmap", "--nodes", "1", "--ranks-per-node", "2", "--tokens", "8", "--hidden", "64",
            "--experts", "4", "--topk", "2", "--iterations", "1000000", "-Dtransload.kernels.mode=scalar");
        Waiting.until("two ranks have files", () -> 2 == run.ranks().size() && 2 == owners(run).size());
        final List<Long> ranks = run.ranks().stream().map(ProcessHandle::pid).toList();
        run.process().destroy();
        final Program.End end = run.end();

        assertEquals(128 + SIGTERM, end.exitCode(), end.err());
        assertEquals(List.of(), run.left());
        assertTrue(ownersIn(SHARED_MEMORY).stream().noneMatch(ranks::contains), ranks::toString);
    }

    private static List<Long> owners(final Program run)
    {
        final List<Long> owners = new ArrayList<>(ownersIn(SHARED_MEMORY));
        try
        {
            run.left().forEach((left) -> owners.addAll(ownersIn(left)));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        final List<Long> ranks = run.ranks().stream().map(ProcessHandle::pid).toList();
        return owners.stream().filter(ranks::contains).distinct().toList();
    }

    /** Processes that have private directories in a folder. */
    private static List<Long> ownersIn(final Path parent)
    {
        final List<Long> owners = new ArrayList<>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(parent, "transload-*"))
        {
            for (final Path directory : directories)
            {
                final Path owner = directory.resolve("owner");
                if (Files.isReadable(owner))
                {
                    owners.add(Long.parseLong(Files.readString(owner).strip()));
                }
            }
        }
        catch (final NoSuchFileException | NumberFormatException ex)
        {
            // Another program's directory is being made, or goes away.
            return owners;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return owners;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest
{
    @TempDir
    private Path parent;

    @Test
    void shouldBelongToItsOwnerAloneAndVanishWithAllThatIsInIt() throws IOException
    {
        final Path path;
        try (PrivateFolder folder = PrivateFolder.create(parent))
        {
            path = folder.path();
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            Files.createDirectories(path.resolve("a/b"));
            Files.writeString(path.resolve("a/b/file"), "x");
        }

        assertFalse(Files.exists(path));
    }

    @Test
    void shouldSweepWhatTheDeadLeftAndNothingElse() throws IOException
    {
        final Path dead = Files.createDirectories(parent.resolve("transload-run-999999999-1-x/inner")).getParent();
        final Path earlierLife = Files.createDirectory(
            parent.resolve("transload-run-" + ProcessHandle.current().pid() + "-1-x"));
        final Path foreign = Files.createDirectory(parent.resolve("transload-run-notes"));
        try (PrivateFolder alive = PrivateFolder.create(parent); PrivateFolder second = PrivateFolder.create(parent))
        {
            assertFalse(Files.exists(dead));
            assertFalse(Files.exists(earlierLife), "its number is ours, its start is not");
            assertTrue(Files.exists(foreign));
            assertTrue(Files.exists(alive.path()));
            assertTrue(Files.exists(second.path()));
        }
    }

    @Test
    void shouldPassOverNumbersThatNoProcessHas() throws IOException
    {
        final List<Path> absurd = new ArrayList<>();
        for (final String name : List.of(
            "99999999999999999999-1-x", "1-9223372036854775808-x", "-1-1-x", "1-x", "9999999999999999999-1-x"))
        {
            absurd.add(Files.createDirectory(parent.resolve("transload-run-" + name)));
        }

        try (PrivateFolder folder = PrivateFolder.create(parent))
        {
            assertTrue(Files.exists(folder.path()));
            absurd.forEach((path) -> assertTrue(Files.exists(path), path::toString));
        }
    }

    @Test
    void shouldLeaveWhatDeadRunsOfOtherUsersLeft() throws IOException
    {
        final Path dead = Files.createDirectory(parent.resolve("transload-run-999999999-1-x"));
        final Path file = Files.createFile(dead.resolve("file"));
        try
        {
            Files.setAttribute(dead, "unix:uid", (int)Files.getAttribute(dead, "unix:uid") + 1);
        }
        catch (final IOException ex)
        {
            Assumptions.abort("NOT TESTED: this user may not give a folder to another one (" + ex.getMessage() + ")");
        }

        try (PrivateFolder folder = PrivateFolder.create(parent))
        {
            assertTrue(Files.exists(folder.path()));
            assertTrue(Files.exists(file));
        }
    }

    @Test
    void shouldDeleteLinksAndNotWhatTheyLeadTo(@TempDir final Path elsewhere) throws IOException
    {
        final Path kept = Files.createFile(elsewhere.resolve("kept"));
        final Path dead = Files.createDirectories(parent.resolve("transload-run-999999999-1-x/inner")).getParent();
        Files.createSymbolicLink(dead.resolve("inner/link"), elsewhere);
        final Path own;
        try (PrivateFolder folder = PrivateFolder.create(parent))
        {
            own = folder.path();
            Files.createSymbolicLink(own.resolve("link"), elsewhere);
        }

        assertFalse(Files.exists(own));
        assertFalse(Files.exists(dead));
        assertTrue(Files.exists(kept));
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
}

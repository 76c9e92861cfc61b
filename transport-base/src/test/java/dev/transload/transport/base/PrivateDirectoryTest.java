/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a dead process left is deleted once, whoever finds it. */
class PrivateDirectoryTest
{
    @TempDir
    private Path base;

    /** Ranks of one process that open at once find the same directories. */
    @Test
    void shouldLeaveToAnotherRankOfThisProcessWhatItIsAboutToDelete() throws IOException
    {
        final Path orphan = Files.createDirectory(base.resolve("transload-1-2-3"));
        final Path owner = Files.createFile(orphan.resolve(PrivateDirectory.OWNER_FILE));
        try (FileChannel other = FileChannel.open(owner, StandardOpenOption.WRITE))
        {
            assertTrue(other.lock().isValid());
            assertFalse(PrivateDirectory.deleteIfOrphaned(orphan));
            assertTrue(Files.exists(owner));
        }

        assertTrue(PrivateDirectory.deleteIfOrphaned(orphan));
        assertFalse(Files.exists(orphan));
    }

    /** A run makes a folder for its ranks, whose transports make theirs in it. */
    @Test
    void shouldLeaveAnEmptyDirectoryThatWasJustMade() throws IOException
    {
        final Path folder = Files.createDirectory(base.resolve("transload-run-1-2-3"));
        PrivateDirectory.sweep(base);
        assertTrue(Files.exists(folder));

        Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minusSeconds(3600)));
        PrivateDirectory.sweep(base);
        assertFalse(Files.exists(folder));
    }
}

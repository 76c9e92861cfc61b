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
        final Path owner = orphan();
        final Path orphan = owner.getParent();
        try (FileChannel other = FileChannel.open(owner, StandardOpenOption.WRITE))
        {
            assertTrue(other.lock().isValid());
            assertFalse(PrivateDirectory.deleteIfOrphaned(orphan));
            assertTrue(Files.exists(owner));
        }

        assertTrue(PrivateDirectory.deleteIfOrphaned(orphan));
        assertFalse(Files.exists(orphan));
    }

    /** Its owner file is made a moment later, or was deleted a moment ago. */
    @Test
    void shouldLeaveAnEmptyDirectoryThatWasJustMade() throws IOException
    {
        final Path folder = Files.createDirectory(base.resolve("transload-1-2-3"));
        PrivateDirectory.sweep(base);
        assertTrue(Files.exists(folder));

        makeOld(folder);
        PrivateDirectory.sweep(base);
        assertFalse(Files.exists(folder));
    }

    @Test
    void shouldLeaveADirectoryWithoutAnOwnerFileThatIsNotEmpty() throws IOException
    {
        final Path folder = Files.createDirectory(base.resolve("transload-notes"));
        final Path file = Files.createFile(folder.resolve("file"));
        makeOld(folder);
        PrivateDirectory.sweep(base);
        assertTrue(Files.exists(file));
    }

    @Test
    void shouldLeaveFoldersOfRunsToTheirLaunchers() throws IOException
    {
        final Path folder = Files.createDirectory(base.resolve("transload-run-1-2-3"));
        makeOld(folder);
        PrivateDirectory.sweep(base);
        assertTrue(Files.exists(folder));
    }

    @Test
    void shouldLeaveDirectoriesOfOtherUsers() throws IOException
    {
        final Path owner = orphan();
        HeldDirectoryTest.giveAway(owner.getParent());
        PrivateDirectory.sweep(base);
        assertTrue(Files.exists(owner));
        assertFalse(PrivateDirectory.deleteIfOrphaned(owner.getParent()));
    }

    @Test
    void shouldNotWaitForAPipeInPlaceOfTheOwnerFile() throws IOException
    {
        final Path owner = orphan();
        Files.delete(owner);
        HeldDirectoryTest.makePipe(owner);
        final Path next = Files.createDirectory(base.resolve("transload-4-5-6"));
        Files.createFile(next.resolve(PrivateDirectory.OWNER_FILE));
        HeldDirectoryTest.assertNotWaitingFor(owner, () -> PrivateDirectory.sweep(base));
        assertTrue(Files.exists(owner));
        assertFalse(Files.exists(next));
    }

    @Test
    void shouldNotLockAFileThatALinkLeadsTo() throws IOException
    {
        final Path owner = orphan();
        final Path file = Files.createFile(base.resolve("file"));
        Files.delete(owner);
        Files.createSymbolicLink(owner, file);
        PrivateDirectory.sweep(base);
        assertTrue(Files.isSymbolicLink(owner));
        assertTrue(Files.exists(file));
    }

    private Path orphan() throws IOException
    {
        return Files.createFile(Files.createDirectory(base.resolve("transload-1-2-3"))
            .resolve(PrivateDirectory.OWNER_FILE));
    }

    private static void makeOld(final Path folder) throws IOException
    {
        Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minusSeconds(3600)));
    }
}

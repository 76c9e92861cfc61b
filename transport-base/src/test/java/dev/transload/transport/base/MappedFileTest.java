/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file that cannot be made says. */
class MappedFileTest
{
    private static final int LENGTH = 8192;

    @TempDir
    private Path folder;

    @Test
    void shouldMakeAFileOfZerosAndDeleteIt() throws IOException
    {
        final Path file = folder.resolve("region");
        final MappedFile mapped = MappedFile.create("near", file, LENGTH);
        assertEquals(0, mapped.view(0, LENGTH).getLong(LENGTH - Long.BYTES));
        assertEquals(LENGTH, Files.size(file));
        mapped.free();
        assertFalse(Files.exists(file));
    }

    @Test
    void shouldSayThatTheFolderIsGone()
    {
        final Path file = folder.resolve("gone").resolve("region");
        assertRefusedForAnythingButRoom(file, "NoSuchFileException");
    }

    @Test
    void shouldSayThatTheFolderIsAFile() throws IOException
    {
        final Path file = Files.createFile(folder.resolve("other")).resolve("region");
        assertRefusedForAnythingButRoom(file, "Not a directory");
    }

    @Test
    void shouldLeaveTheFileOfAnotherAlone() throws IOException
    {
        final Path file = Files.writeString(folder.resolve("region"), "theirs");
        assertRefusedForAnythingButRoom(file, "FileAlreadyExistsException");
        assertEquals("theirs", Files.readString(file));
    }

    @Test
    void shouldSayHowMuchRoomThereIs()
    {
        final String message = message(folder.resolve("region"), Long.MAX_VALUE);
        assertTrue(message.matches("transport near: " + Long.MAX_VALUE + " bytes were asked for in " + folder +
            ", [1-9]\\d* are free: .*set transload\\.near\\.region-directory to a larger one"), message);
    }

    private static void assertRefusedForAnythingButRoom(final Path file, final String reason)
    {
        final String message = message(file, LENGTH);
        assertTrue(message.startsWith("transport near cannot make " + file + " of 8192 bytes ("), message);
        assertTrue(message.contains(reason), message);
        assertFalse(message.contains("are free"), message);
    }

    private static String message(final Path file, final long length)
    {
        return assertThrows(TransportUnavailableException.class, () -> MappedFile.create("near", file, length))
            .getMessage();
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.base.SteppedDirectory.Step;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is deleted but what lies in a directory of this user, whoever exchanges what meanwhile. */
class HeldDirectoryTest
{
    private static final Path DEAD = Path.of("dead");

    @TempDir
    private Path root;

    private Path base;
    private Path elsewhere;
    private Path dead;
    private Path inner;
    private Path kept;

    @BeforeEach
    void fill() throws IOException
    {
        base = Files.createDirectory(root.resolve("base"));
        elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        dead = Files.createDirectory(base.resolve(DEAD));
        inner = Files.createDirectory(dead.resolve("inner"));
        Files.createFile(inner.resolve("file"));
        kept = Files.createFile(elsewhere.resolve("kept"));
    }

    @Test
    void shouldDeleteATreeWithItsLinksAndNotWhatTheyLeadTo() throws IOException
    {
        Files.createSymbolicLink(inner.resolve("folder"), elsewhere);
        Files.createSymbolicLink(dead.resolve("file"), kept);
        try (HeldDirectory held = HeldDirectory.open(base))
        {
            assertTrue(held.deleteOwn(DEAD));
            assertFalse(held.deleteOwn(DEAD), "it is gone");
        }

        assertFalse(Files.exists(dead));
        assertTrue(Files.exists(kept));
        HeldDirectory.delete(dead);
    }

    @Test
    void shouldNotFollowALinkThatTakesThePlaceOfAFolderWithin() throws IOException
    {
        try (HeldDirectory held = SteppedDirectory.open(base, exchange("inner", inner)))
        {
            assertThrows(IOException.class, () -> held.deleteOwn(DEAD));
        }

        assertTrue(Files.isSymbolicLink(inner));
        assertTrue(Files.exists(kept));
        try (HeldDirectory held = HeldDirectory.open(base))
        {
            assertTrue(held.deleteOwn(DEAD));
        }

        assertTrue(Files.exists(kept));
        assertFalse(Files.exists(dead));
    }

    @Test
    void shouldNotFollowALinkThatTakesThePlaceOfTheFolder() throws IOException
    {
        try (HeldDirectory held = SteppedDirectory.open(base, exchange("dead", dead)))
        {
            assertThrows(IOException.class, () -> held.deleteOwn(DEAD));
        }

        assertTrue(Files.exists(kept));
    }

    /** Its path leads to a folder of somebody else by the time its entries are deleted. */
    @Test
    void shouldDeleteInTheFolderThatWasOpened() throws IOException
    {
        try (HeldDirectory held = SteppedDirectory.open(base, (step, name) ->
        {
            if (Step.DELETE_FILE == step && name.endsWith("file"))
            {
                Files.move(dead, base.resolve("away"));
                Files.createSymbolicLink(dead, elsewhere);
                Files.createFile(elsewhere.resolve("file"));
            }
        }))
        {
            assertThrows(IOException.class, () -> held.deleteOwn(DEAD));
        }

        assertTrue(Files.exists(elsewhere.resolve("file")));
        assertTrue(Files.exists(kept));
        assertFalse(Files.exists(base.resolve("away/inner")));
    }

    @Test
    void shouldLeaveAloneWhatBelongsToAnotherUser() throws IOException
    {
        try (HeldDirectory held = new HeldDirectory(
            (SecureDirectoryStream<Path>)Files.newDirectoryStream(base), another(base)))
        {
            assertNull(held.openOwn(DEAD));
            assertFalse(held.deleteOwn(DEAD));
        }

        assertTrue(Files.exists(inner.resolve("file")));
    }

    @Test
    void shouldLeaveAloneWhatIsAnothersOnceItIsOpen() throws IOException
    {
        try (HeldDirectory held = SteppedDirectory.open(base, (step, name) -> giveAway(dead)))
        {
            assertFalse(held.deleteOwn(DEAD));
        }

        assertTrue(Files.exists(inner.resolve("file")));
    }

    @Test
    void shouldLeaveAloneFilesAndLinksInPlaceOfAFolder() throws IOException
    {
        Files.createFile(base.resolve("file"));
        Files.createSymbolicLink(base.resolve("link"), elsewhere);
        try (HeldDirectory held = HeldDirectory.open(base))
        {
            assertFalse(held.deleteOwn(Path.of("file")));
            assertFalse(held.deleteOwn(Path.of("link")));
        }

        assertTrue(Files.exists(base.resolve("file")));
        assertTrue(Files.exists(kept));
    }

    @Test
    void shouldKeepTheOwnerFileAsLongAsAnythingIsLeft() throws IOException
    {
        final Path owner = Files.createFile(dead.resolve(PrivateDirectory.OWNER_FILE));
        final Path stuck = Files.createFile(dead.resolve("stuck"));
        try (HeldDirectory held = SteppedDirectory.open(base, (step, name) ->
        {
            if (name.endsWith("stuck"))
            {
                throw new IOException("stuck");
            }
        }))
        {
            assertEquals("stuck", assertThrows(IOException.class, () -> held.deleteOwn(DEAD)).getMessage());
        }

        assertFalse(Files.exists(inner));
        assertTrue(Files.exists(stuck));
        assertTrue(Files.exists(owner));
    }

    @Test
    void shouldNotMindOthersWhoDeleteTheSame() throws IOException
    {
        try (HeldDirectory held = SteppedDirectory.open(base, (step, name) ->
        {
            if (Step.DELETE_FILE == step || Step.DELETE_DIRECTORY == step)
            {
                HeldDirectory.delete(dead);
            }
        }))
        {
            assertTrue(held.deleteOwn(DEAD));
        }

        assertFalse(Files.exists(dead));
    }

    @Test
    void shouldNotWaitForAPipeThatTakesThePlaceOfAFile() throws IOException
    {
        final Path file = Files.createFile(dead.resolve("file"));
        try (HeldDirectory held = SteppedDirectory.open(dead, (step, name) ->
        {
            Files.delete(file);
            makePipe(file);
        }))
        {
            assertNotWaitingFor(file, () ->
            {
                try (FileChannel channel = held.openFile("file"))
                {
                    assertTrue(channel.isOpen());
                }
            });
        }

        assertFalse(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldNotOpenAFileThroughALinkThatTakesItsPlace() throws IOException
    {
        final Path file = Files.createFile(dead.resolve("file"));
        try (HeldDirectory held = SteppedDirectory.open(dead, (step, name) ->
        {
            Files.delete(file);
            Files.createSymbolicLink(file, kept);
        }))
        {
            assertThrows(IOException.class, () -> held.openFile("file"));
        }
    }

    private SteppedDirectory.Other exchange(final String which, final Path folder)
    {
        return (step, name) ->
        {
            if (Step.OPEN_DIRECTORY == step && name.endsWith(which))
            {
                Files.move(folder, base.resolve("away"));
                Files.createSymbolicLink(folder, elsewhere);
            }
        };
    }

    static void makePipe(final Path path) throws IOException
    {
        try
        {
            assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor());
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Who waits is let go, so that the test fails and goes on. */
    static void assertNotWaitingFor(final Path pipe, final Executable action) throws IOException
    {
        try
        {
            assertTimeoutPreemptively(Duration.ofSeconds(10), action);
        }
        finally
        {
            FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE).close();
        }
    }

    static void giveAway(final Path path)
    {
        try
        {
            Files.setOwner(path, another(path));
        }
        catch (final IOException ex)
        {
            Assumptions.abort("NOT TESTED: this user may not give a folder to another one (" + ex.getMessage() + ")");
        }
    }

    private static UserPrincipal another(final Path path) throws IOException
    {
        final int own = (int)Files.getAttribute(path, "unix:uid");
        return FileSystems.getDefault().getUserPrincipalLookupService()
            .lookupPrincipalByName(Integer.toString(own + 1));
    }
}

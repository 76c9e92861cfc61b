/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PrivateDirectory;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Access;
import dev.transload.spi.Availability;
import dev.transload.spi.Channel;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.Worker;
import dev.transload.transport.base.AvailableMemory;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.SetupFlyweight;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourcesTest
{
    private static final int CYCLES = 100;
    private static final int WARM_UP_CYCLES = 20;
    private static final int STRANGERS = 100;

    @TempDir
    private Path drivers;

    @TempDir
    private Path regions;

    private TransportConfig config(final int rank, final String... keysAndValues)
    {
        final Map<String, String> options = new HashMap<>();
        options.put("driver-directory", drivers.toString());
        options.put("region-directory", regions.toString());
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            options.put(keysAndValues[i], keysAndValues[i + 1]);
        }

        return TransportConfig.builder().rank(rank).worldSize(4).options(options).build();
    }

    private Transport open(final int rank, final String... keysAndValues)
    {
        return new AeronTransportProvider().open(config(rank, keysAndValues));
    }

    @Test
    void shouldNameThePortThatIsInUse() throws IOException
    {
        try (DatagramSocket other = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        {
            final String port = Integer.toString(other.getLocalPort());
            final TransportUnavailableException thrown =
                assertThrows(TransportUnavailableException.class, () -> open(0, "port", port));
            assertTrue(thrown.getMessage().contains("127.0.0.1:" + port), thrown.getMessage());
            assertEquals(List.of(), entries(drivers));
            assertEquals(List.of(), entries(regions));
        }
    }

    @Test
    void shouldListenOnThePortThatIsConfigured() throws IOException
    {
        final int port;
        try (DatagramSocket probe = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
        {
            port = probe.getLocalPort();
        }

        try (Transport transport = open(0, "port", Integer.toString(port)))
        {
            assertEquals("127.0.0.1:" + port, Ranks.contact(transport.peerInfo()).endpoint());
        }
    }

    @Test
    void shouldLeaveNothingBehind()
    {
        for (int i = 0; i < WARM_UP_CYCLES; i++)
        {
            cycle();
        }

        Await.until(() ->
        {
            System.gc();
            return 0 == lines("/proc/self/maps", "signals-");
        });
        final long files = lines("/proc/self/fd", "");
        for (int i = 0; i < CYCLES; i++)
        {
            cycle();
        }

        assertEquals(0, Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> thread.getName().matches("transload-aeron-\\d+")).count(), "threads");
        assertEquals(List.of(), entries(drivers));
        assertEquals(List.of(), entries(regions));
        assertEquals(0, lines("/proc/self/maps", "region-"), "mappings of regions");
        assertEquals(0, lines("/proc/self/maps", drivers.toString()), "mappings of drivers");
        assertTrue(lines("/proc/self/fd", "") <= files, "open files");
        // Signals may be read by any thread while they are closed, so they go with their last reference.
        Await.until(() ->
        {
            System.gc();
            return 0 == lines("/proc/self/maps", "signals-");
        });
    }

    @Test
    void shouldKeepMemoryFromOtherUsers() throws IOException
    {
        try (Transport transport = open(0); MemoryRegion region =
            transport.allocate(MemoryKind.HOST, 0, 4096, Access.REMOTE))
        {
            assertEquals(4096, region.length());
            final Path directory = Path.of(Ranks.contact(transport.peerInfo()).regionDirectory());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
            for (final Path file : entries(directory))
            {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        }
    }

    @Test
    void shouldSweepWhatDeadRanksLeftAndNothingElse() throws IOException
    {
        final Path dead = Files.createDirectory(regions.resolve("transload-1-2-3-abc"));
        Files.createFile(dead.resolve(PrivateDirectory.OWNER_FILE));
        Files.createFile(dead.resolve("region-1"));
        final Path foreign = Files.createDirectory(regions.resolve("transload-something"));
        Files.createFile(foreign.resolve("kept"));
        try (Transport living = open(0); Transport other = open(1))
        {
            assertFalse(Files.exists(dead));
            assertTrue(Files.exists(foreign.resolve("kept")));
            assertTrue(Files.isDirectory(
                Path.of(Ranks.contact(living.peerInfo()).regionDirectory())));
            assertTrue(Files.isDirectory(
                Path.of(Ranks.contact(other.peerInfo()).regionDirectory())));
        }
    }

    @Test
    void shouldRefuseMemoryThatTheDirectoryDoesNotHave() throws IOException
    {
        final Path small = Files.createDirectory(regions.resolve("small"));
        Assumptions.assumeTrue(mount(small, 4), "NOT TESTED: this user may not mount a small tmpfs");
        try (Transport transport = open(0, "region-directory", small.toString()))
        {
            final long length = 16 << 20;
            final TransportUnavailableException thrown = assertThrows(TransportUnavailableException.class,
                () -> transport.allocate(MemoryKind.HOST, 0, length, Access.REMOTE));
            assertTrue(thrown.getMessage().contains(Long.toString(length)), thrown.getMessage());
            assertTrue(thrown.getMessage().contains("are free"), thrown.getMessage());
            assertTrue(thrown.getMessage().contains("region-directory"), thrown.getMessage());
            transport.allocate(MemoryKind.HOST, 0, 1 << 20, Access.REMOTE).close();
        }
        finally
        {
            run("umount", small.toString());
        }
    }

    @Test
    void shouldSayThatTheDriversFolderIsTooSmall() throws IOException
    {
        final Path small = Files.createDirectory(drivers.resolve("small"));
        Assumptions.assumeTrue(mount(small, 4), "NOT TESTED: this user may not mount a small tmpfs");
        try
        {
            final String message = assertThrows(TransportUnavailableException.class,
                () -> open(0, "driver-directory", small.toString())).getMessage();
            assertTrue(message.contains(small.toString()), message);
            assertTrue(message.matches(".*\\(\\d+ bytes are needed, \\d+ are free\\).*driver-directory"), message);
            assertEquals(List.of(), entries(small));
        }
        finally
        {
            run("umount", small.toString());
        }
    }

    /** Drivers of several ranks start at once, and each of them has seen the same free space. */
    @Test
    void shouldSayThatOthersHaveTakenTheRoomForTheDriver() throws IOException
    {
        final Path small = Files.createDirectory(drivers.resolve("small"));
        Assumptions.assumeTrue(mount(small, 16), "NOT TESTED: this user may not mount a small tmpfs");
        final MediaDriver.Context context = new MediaDriver.Context()
            .aeronDirectoryName(small.resolve("driver").toString()).threadingMode(ThreadingMode.INVOKER)
            .counterValuesBufferLength(1 << 20);
        try
        {
            final TransportUnavailableException thrown = assertThrows(TransportUnavailableException.class,
                () -> DriverLauncher.launch(context, "choose another one", (ready) ->
                {
                    fill(small.resolve("other"));
                    return MediaDriver.launch(ready);
                }));
            assertInstanceOf(InternalError.class, thrown.getCause(), thrown.getMessage());
            assertTrue(thrown.getMessage().matches(".*" + small + " .* 0 are free now\\): choose another one"),
                thrown.getMessage());
        }
        finally
        {
            System.gc();
            run("umount", "--lazy", small.toString());
        }
    }

    /** As in a plain chroot; a folder that is not there has no mount either. */
    @Test
    void shouldStartADriverWhereNoMountIsKnown()
    {
        final MediaDriver.Context context = new MediaDriver.Context()
            .aeronDirectoryName(drivers.resolve("gone").resolve("driver").toString());
        DriverLauncher.launch(context, "nothing", (ready) ->
        {
            assertFalse(ready.performStorageChecks());
            return null;
        });
        assertFalse(context.performStorageChecks());
    }

    @Test
    void shouldKnowHowMuchADriverWrites() throws IOException
    {
        final MediaDriver.Context context = new MediaDriver.Context()
            .aeronDirectoryName(drivers.resolve("driver").toString()).threadingMode(ThreadingMode.INVOKER)
            .counterValuesBufferLength(2 << 20).errorBufferLength(8 << 20);
        final long length = DriverLauncher.length(context);
        try (MediaDriver driver = DriverLauncher.launch(context, "nothing"))
        {
            final long written = entries(Path.of(driver.aeronDirectoryName())).stream()
                .filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum();
            assertTrue(Math.abs(written - length) <= 16 << 10, written + " instead of " + length);
        }
    }

    /** A stranger knows the port alone; the last message, which knows the stream, shows that all have come. */
    @Test
    void shouldMakeNoLogBuffersForStrangers() throws IOException
    {
        try (Transport transport = open(0); DatagramSocket stranger = new DatagramSocket())
        {
            final AeronContact contact = Ranks.contact(transport.peerInfo());
            for (int session = 0; session < STRANGERS; session++)
            {
                sendSetup(stranger, contact, session, 1 + session % 2, 1 << 20);
            }

            sendSetup(stranger, contact, STRANGERS, contact.controlStream(), Medium.CONTROL_TERM_LENGTH);
            final Path images = Path.of(contact.driverDirectory(), "aeron", "images");
            Await.until(() -> entries(images).stream().anyMatch((file) -> file.toFile().length() < 1 << 20));
            assertEquals(1, entries(images).size());
        }
    }

    @Test
    void shouldRefuseMemoryThatTheMachineDoesNotHave()
    {
        try (Transport transport = open(0))
        {
            final long length = 1L << 50;
            assertThrows(IllegalArgumentException.class,
                () -> transport.allocate(MemoryKind.HOST, 0, length, Access.LOCAL));
            assertThrows(TransportUnavailableException.class, () -> AvailableMemory.require("aeron", length));
        }
    }

    @Test
    void shouldRefuseValuesThatAreNotAllowed()
    {
        for (final String[] wrong : new String[][] {{"data-path", "rdma"}, {"port", "70000"}, {"mtu", "1500"},
            {"term-length", "100000"}, {"idle", "sometimes"}, {"host", "a b"}, {"max-park-us", "0"}})
        {
            final ConfigurationException thrown = assertThrows(ConfigurationException.class,
                () -> open(0, wrong[0], wrong[1]), wrong[0]);
            assertTrue(thrown.getMessage().contains("transload.aeron." + wrong[0]), thrown.getMessage());
            final Availability verdict = new AeronTransportProvider().probe(config(0, wrong[0], wrong[1]));
            assertEquals(thrown.getMessage(), assertInstanceOf(Availability.Unavailable.class, verdict).reason());
        }
    }

    @Test
    void shouldSayThatNoDriverRuns()
    {
        final String none = drivers.resolve("none").toString();
        final Availability verdict = new AeronTransportProvider().probe(config(0, "aeron-dir", none));
        assertTrue(assertInstanceOf(Availability.Unavailable.class, verdict).reason().contains(none));
        assertThrows(TransportUnavailableException.class, () -> open(0, "aeron-dir", none));
    }

    private void cycle()
    {
        try (Transport first = open(0); Transport second = open(1))
        {
            final Worker worker = first.openWorker(0);
            final Worker peer = second.openWorker(0);
            final MemoryRegion source = first.allocate(MemoryKind.HOST, 0, 4096, Access.LOCAL);
            final MemoryRegion target = second.allocate(MemoryKind.HOST, 0, 4096, Access.REMOTE);
            final SignalRegion signals = second.allocateSignals(1, 1);
            final Channel channel = worker.connect(1, 1, peer.address());
            final Ranks.Operations operations = new Ranks.Operations(worker, channel);
            operations.connect();
            operations.putFenceAdd(source, worker.importRegion(1, target.descriptor()),
                worker.importSignals(1, signals.descriptor()), 0);
            assertEquals(1, signals.getAcquire(0));
        }
    }

    private static void sendSetup(
        final DatagramSocket socket, final AeronContact contact, final int session, final int stream,
        final int termLength) throws IOException
    {
        final byte[] frame = new byte[SetupFlyweight.HEADER_LENGTH];
        final SetupFlyweight setup = new SetupFlyweight(new UnsafeBuffer(frame));
        setup.sessionId(session).streamId(stream).initialTermId(0).activeTermId(0).termOffset(0)
            .termLength(termLength).mtuLength(Medium.CONTROL_MTU).ttl(0);
        setup.version(HeaderFlyweight.CURRENT_VERSION).flags((short)0)
            .headerType(HeaderFlyweight.HDR_TYPE_SETUP).frameLength(frame.length);
        final int colon = contact.endpoint().lastIndexOf(':');
        socket.send(new DatagramPacket(frame, frame.length, new InetSocketAddress(
            contact.endpoint().substring(0, colon), Integer.parseInt(contact.endpoint().substring(colon + 1)))));
    }

    private static void fill(final Path file)
    {
        final byte[] block = new byte[64 << 10];
        try (OutputStream stream = Files.newOutputStream(file))
        {
            while (true)
            {
                stream.write(block);
            }
        }
        catch (final IOException ex)
        {
            assertTrue(ex.getMessage().contains("No space left"), ex.toString());
        }
    }

    private static boolean mount(final Path directory, final int megabytes)
    {
        return 0 == run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
    }

    private static int run(final String... command)
    {
        try
        {
            return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        }
        catch (final IOException ex)
        {
            return -1;
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static List<Path> entries(final Path directory)
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static long lines(final String path, final String part)
    {
        try
        {
            final Path file = Path.of(path);
            Assumptions.assumeTrue(Files.exists(file), "NOT TESTED: this system has no " + path);
            if (Files.isDirectory(file))
            {
                return entries(file).size();
            }

            try (Stream<String> lines = Files.lines(file))
            {
                return lines.filter((line) -> line.contains(part)).count();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}

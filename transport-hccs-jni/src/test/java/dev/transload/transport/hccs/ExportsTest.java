/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclIpc;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exported memory goes when its last importer has closed it, or is gone. */
class ExportsTest
{
    private static final int ID = 7;
    private static final String NOTHING_LEFT =
        "ACL emulator: left at exit: 0 streams, 0 events, 0 allocations, 0 pinned, 0 exports, 0 imports";
    private static final String ONE_LEFT =
        "ACL emulator: left at exit: 0 streams, 0 events, 1 allocations, 0 pinned, 1 exports, 0 imports";

    @TempDir
    private Path directory;

    @Test
    void shouldFreeAtOnceWhatNobodyImports()
    {
        try (Exports exports = new Exports(device(), directory))
        {
            export(exports);
            exports.retire(ID);
            assertEquals(0, exports.waiting());
        }
    }

    @Test
    void shouldKeepWhatIsImportedUntilItIsClosed()
    {
        try (Exports exports = new Exports(device(), directory); ChildJvm importer = importer(export(exports)))
        {
            awaitImport(exports, importer);
            exports.retire(ID);
            assertEquals(1, exports.waiting());
            importer.write("close");
            importer.read("closed");
            exports.trySweep();
            assertEquals(0, exports.waiting());
            final List<String> said = importer.finish();
            assertEquals("exit 0", said.get(said.size() - 1), said::toString);
        }
    }

    @Test
    void shouldFreeWhatADeadProcessHadImported()
    {
        try (Exports exports = new Exports(device(), directory); ChildJvm importer = importer(export(exports)))
        {
            awaitImport(exports, importer);
            exports.retire(ID);
            assertEquals(1, exports.waiting());
            importer.kill();
            exports.trySweep();
            assertEquals(0, exports.waiting());
        }
    }

    /** The importer outlives the transport, and closes before the process of the exporter ends. */
    @Test
    void shouldFreeAfterItsTransportWhatIsImportedThen()
    {
        try (ChildJvm exporter = new ChildJvm(
            Map.of("ACCOUNTS", "1"), ExporterMain.class, Emulator.library(), directory.toString()))
        {
            try (ChildJvm importer = importer(exporter.read("key ")))
            {
                importer.read("imported");
                exporter.write("close");
                exporter.read("closed, 1 waiting");
                importer.write("close");
                importer.read("closed");
                final List<String> said = importer.finish();
                assertEquals("exit 0", said.get(said.size() - 1), said::toString);
            }

            final List<String> said = exporter.finish();
            assertTrue(said.contains(NOTHING_LEFT), said::toString);
            assertEquals("exit 0", said.get(said.size() - 1), said::toString);
        }
    }

    /** Whoever outlives both has memory that nobody can give back in order: the account says so. */
    @Test
    void shouldNotEndWellWithMemoryThatIsStillImported()
    {
        try (ChildJvm exporter = new ChildJvm(
            Map.of("ACCOUNTS", "1"), ExporterMain.class, Emulator.library(), directory.toString());
            ChildJvm importer = importer(exporter.read("key ")))
        {
            importer.read("imported");
            exporter.write("close");
            final List<String> said = exporter.finish();
            assertTrue(said.contains(ONE_LEFT), said::toString);
            assertEquals("exit 86", said.get(said.size() - 1), said::toString);
        }
    }

    private static AclDevice device()
    {
        return AclLibrary.open(Emulator.library()).device(0);
    }

    private static String export(final Exports exports)
    {
        return exports.add(ID, device().allocate(AclIpc.PAGE, true), AclIpc.PAGE);
    }

    private ChildJvm importer(final String key)
    {
        return new ChildJvm(Map.of("ACCOUNTS", "1"), ImporterMain.class, Emulator.library(), directory.toString(),
            Integer.toString(ID), key);
    }

    /** As the transport's thread does. */
    private static void awaitImport(final Exports exports, final ChildJvm importer)
    {
        listWhile(exports, () -> importer.read("imported"));
    }

    private static void listWhile(final Exports exports, final Runnable work)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread agent = new Thread(() ->
        {
            while (!isDone.get())
            {
                exports.listImporters();
                Thread.onSpinWait();
            }
        });
        agent.start();
        try
        {
            work.run();
        }
        finally
        {
            isDone.set(true);
            join(agent);
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError("interrupted", ex);
        }
    }

    /** Exports, and closes its exports when it is told, whoever imports them. */
    static final class ExporterMain
    {
        private ExporterMain()
        {
        }

        /**
         * Run.
         *
         * @param args library, directory of the exporter.
         */
        public static void main(final String[] args)
        {
            final AclDevice device = AclLibrary.open(args[0]).device(0);
            final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            final Exports exports = new Exports(device, Path.of(args[1]));
            System.out.println("key " + exports.add(ID, device.allocate(AclIpc.PAGE, true), AclIpc.PAGE));
            listWhile(exports, () -> awaitLine(input));
            exports.retire(ID);
            exports.close();
            System.out.println("closed, " + exports.waiting() + " waiting");
            awaitLine(input);
        }

        private static void awaitLine(final BufferedReader input)
        {
            try
            {
                input.readLine();
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** Imports, and closes when it is told. */
    static final class ImporterMain
    {
        private ImporterMain()
        {
        }

        /**
         * Run.
         *
         * @param args library, directory of the exporter, id of the region, key.
         * @throws IOException if the test does not speak to it.
         */
        public static void main(final String[] args) throws IOException
        {
            final AclDevice device = AclLibrary.open(args[0]).device(1);
            ExporterFile.mark(args[1], Integer.parseInt(args[2]), device.bareProcess());
            device.ipc().open(args[3]);
            System.out.println("imported");
            if (System.in.read() >= 0)
            {
                device.ipc().close(args[3]);
                ExporterFile.unmark(args[1], Integer.parseInt(args[2]));
                System.out.println("closed");
            }
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.transport.hccs.acl.AclDevice;
import dev.transload.transport.hccs.acl.AclIpc;
import dev.transload.transport.hccs.acl.AclLibrary;

import java.io.IOException;
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
        return new ChildJvm(Map.of("ACCOUNTS", "2"), ImporterMain.class, Emulator.library(), directory.toString(),
            Integer.toString(ID), key);
    }

    /** As the transport's thread does. */
    private static void awaitImport(final Exports exports, final ChildJvm importer)
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
            importer.read("imported");
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

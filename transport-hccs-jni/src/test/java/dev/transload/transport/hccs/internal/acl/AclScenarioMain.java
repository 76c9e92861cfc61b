/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import dev.transload.spi.RowList;
import dev.transload.spi.TransportException;
import dev.transload.transport.base.AddressView;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.agrona.BufferUtil;

/**
 * What a fresh process does with the runtime that its environment and arguments describe: {@code open} it,
 * {@code export} memory, go on a {@code tour} through all calls, or let {@code tasks} fail. A call that fails is told
 * by a line that begins with "failed: ", and made again.
 */
final class AclScenarioMain
{
    private static final int LENGTH = 4096;
    private static final int TIMEOUT_MS = 60_000;
    private static final int SHORT_MS = 20;
    private static final byte MARK = 42;

    private AclScenarioMain()
    {
    }

    /**
     * Run.
     *
     * @param args what to do; name of the library; for tasks, how many fail.
     * @throws IOException if the test does not speak to it.
     */
    public static void main(final String[] args) throws IOException
    {
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        switch (args[0])
        {
            case "open" -> open(args[1]);
            case "export" -> export(args[1], input);
            case "tour" -> tour(args[1], input);
            case "tasks" -> tasks(args[1], Integer.parseInt(args[2]));
            default -> throw new IllegalArgumentException(args[0] + " is no scenario");
        }
    }

    private static void open(final String library)
    {
        try
        {
            final AclLibrary runtime = AclLibrary.open(library);
            System.out.println("opened: " + runtime.describe() + "; " + runtime.device(0).describe() + "; shares " +
                runtime.canShare() + ", reduces " + runtime.canReduce());
        }
        catch (final TransportException ex)
        {
            System.out.println("refused: " + ex.getMessage());
        }
    }

    private static void export(final String library, final BufferedReader input) throws IOException
    {
        final AclDevice device = AclLibrary.open(library).device(0);
        final long memory = device.allocate(AclIpc.PAGE, true);
        try (AclIpc.Export export = device.ipc().export(memory, AclIpc.PAGE); AclStream stream = device.openStream();
            PinnedMemory pinned = device.allocatePinned(LENGTH))
        {
            AddressView.of(pinned.address(), LENGTH).put(0, MARK);
            stream.copy(CopyKind.HOST_TO_DEVICE, memory, pinned.address(), LENGTH);
            stream.finish(TIMEOUT_MS);
            System.out.println("key " + export.key());
            export.allow(Integer.parseInt(input.readLine()));
            System.out.println("listed");
            input.readLine();
        }

        device.free(memory);
    }

    private static void tour(final String library, final BufferedReader input) throws IOException
    {
        final AclLibrary runtime = attempt(() -> AclLibrary.open(library));
        final AclDevice device = runtime.device(0);
        attempt(device::isAlive);
        attempt(() -> device.canReach(runtime.device(1)));
        attempt(() -> runtime.link(0, 1));
        attempt(() -> run(() -> device.enablePeer(runtime.device(1))));
        final long memory = attempt(() -> device.allocate(LENGTH, false));
        final PinnedMemory pinned = attempt(() -> device.allocatePinned(LENGTH));
        final AclStream stream = attempt(device::openStream);
        work(stream, memory, pinned);
        final AclEvent event = attempt(device::openEvent);
        attempt(stream, () -> stream.record(event));
        attempt(stream, () -> stream.waitFor(event));
        attempt(stream, () -> stream.await(TIMEOUT_MS));
        attempt(stream, () -> Math.max(0, -event.look()));
        attempt(() -> run(event::close));
        share(stream, memory, pinned, input);
        attempt(() -> run(stream::abort));
        attempt(() -> run(stream::close));
        attempt(() -> run(pinned::close));
        attempt(() -> run(() -> device.free(memory)));
    }

    private static void work(final AclStream stream, final long memory, final PinnedMemory pinned)
    {
        final RowList list = new RowList(ByteBuffer.allocateDirect(4 * RowList.STRIDE), 4);
        for (int row = 0; row < list.capacity(); row++)
        {
            list.set(row, 64L * row, 128L * row);
        }

        final long rows = BufferUtil.address(list.memory());
        attempt(stream, () -> stream.copy(CopyKind.HOST_TO_DEVICE, memory, pinned.address(), LENGTH));
        attempt(stream, () -> stream.copyRows(
            CopyKind.HOST_TO_DEVICE, memory, pinned.address(), rows, list.capacity(), 16, true));
        attempt(stream, () -> stream.zero(memory, LENGTH));
        attempt(stream, () -> stream.add(AclStream.FLOAT, memory, memory + LENGTH / 2, LENGTH / 2));
        attempt(stream, () -> stream.waitForValue(memory, 0));
    }

    private static void share(
        final AclStream stream, final long memory, final PinnedMemory pinned, final BufferedReader input)
        throws IOException
    {
        final AclDevice device = stream.device();
        System.out.println("process " + attempt(device::bareProcess));
        final String key = input.readLine();
        final long imported = attempt(() -> device.ipc().open(key));
        stream.copy(CopyKind.DEVICE_TO_DEVICE, memory, imported, LENGTH);
        stream.copy(CopyKind.DEVICE_TO_HOST, pinned.address(), memory, LENGTH);
        stream.finish(TIMEOUT_MS);
        System.out.println("imported " + AddressView.of(pinned.address(), LENGTH).get(0));
        attempt(() -> run(() -> device.ipc().close(key)));
        final long own = device.allocate(1, true);
        final AclIpc.Export export = attempt(() -> device.ipc().export(own, AclIpc.PAGE));
        attempt(() -> run(() -> export.allow(1)));
        attempt(() -> run(export::close));
        attempt(() -> run(() -> device.free(own)));
    }

    private static void tasks(final String library, final int count)
    {
        final AclDevice device = AclLibrary.open(library).device(0);
        final long memory = device.allocate(LENGTH, false);
        try (AclStream stream = device.openStream())
        {
            for (int i = 0; i < count; i++)
            {
                stream.zero(memory, LENGTH);
                final int code = stream.await(1 == count ? SHORT_MS : TIMEOUT_MS);
                System.out.println("failed: " + (0 == code ? "nothing" : stream.failure(code).getMessage()));
                if (device.isAlive())
                {
                    stream.abort();
                }
            }

            System.out.println("alive " + device.isAlive());
        }

        device.free(memory);
    }

    /** A call that must fail at most once. */
    private static <T> T attempt(final Supplier<T> call)
    {
        try
        {
            return call.get();
        }
        catch (final TransportException ex)
        {
            System.out.println("failed: " + ex.getMessage());
            return attempt(call);
        }
    }

    private static boolean run(final Runnable call)
    {
        call.run();
        return true;
    }

    private static void attempt(final AclStream stream, final IntSupplier call)
    {
        attempt(() ->
        {
            final int code = call.getAsInt();
            if (0 != code)
            {
                throw stream.failure(code);
            }

            return true;
        });
    }
}

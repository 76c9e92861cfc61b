/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.spi.TransportException;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclIpc;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The other process of {@link SharingChecks}. It is asked for one thing after the other: {@code open DEVICE LIBRARY}
 * answers its number in whitelists; {@code export} answers the key of memory that begins with {@link #MARK};
 * {@code allow NUMBER} lists a process as an importer of what was exported last; {@code import KEY} answers the first
 * byte of that memory, or a sentence that begins with {@link #REFUSED}.
 */
final class SharingPeer implements AutoCloseable
{
    static final byte MARK = 42;
    static final String REFUSED = "refused: ";

    private AclDevice device;
    private AclIpc.Export last;
    private final Deque<Runnable> closing = new ArrayDeque<>();

    String answer(final String question)
    {
        final String[] words = question.split(" ", 3);
        return switch (words[0])
        {
            case "open" -> open(Integer.parseInt(words[1]), words[2]);
            case "export" -> export();
            case "allow" -> allow(Integer.parseInt(words[1]));
            case "import" -> importKey(words[1]);
            default -> throw new IllegalArgumentException("question=" + question + ": nothing here is asked so");
        };
    }

    private String open(final int ordinal, final String library)
    {
        device = AclLibrary.open(library).device(ordinal);
        return String.valueOf(device.bareProcess());
    }

    private String export()
    {
        final AclDevice owner = device;
        final long memory = owner.allocate(AclIpc.PAGE, true);
        closing.push(() -> owner.free(memory));
        try (DeviceBytes bytes = new DeviceBytes(owner))
        {
            bytes.view().put(0, MARK);
            bytes.set(memory);
        }

        final AclIpc.Export export = owner.ipc().export(memory, AclIpc.PAGE);
        closing.push(export::close);
        last = export;
        return export.key();
    }

    private String allow(final int process)
    {
        last.allow(process);
        return "";
    }

    private String importKey(final String key)
    {
        try
        {
            return String.valueOf(firstByte(device, key));
        }
        catch (final TransportException ex)
        {
            return REFUSED + ex.getMessage();
        }
    }

    /** Imports memory, reads its first byte by way of the device's own memory, and closes the import. */
    static byte firstByte(final AclDevice device, final String key)
    {
        final long imported = device.ipc().open(key);
        try
        {
            return firstByte(device, imported);
        }
        finally
        {
            device.ipc().close(key);
        }
    }

    static byte firstByte(final AclDevice device, final long imported)
    {
        final long local = device.allocate(DeviceBytes.LENGTH, false);
        try (DeviceBytes bytes = new DeviceBytes(device))
        {
            bytes.copy(local, imported);
            bytes.read(local);
            return bytes.view().get(0);
        }
        finally
        {
            device.free(local);
        }
    }

    /** Keys before the memory that they are of. */
    @Override
    public void close()
    {
        while (!closing.isEmpty())
        {
            closing.pop().run();
        }
    }
}

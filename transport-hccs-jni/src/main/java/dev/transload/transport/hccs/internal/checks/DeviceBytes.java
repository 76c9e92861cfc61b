/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.transport.base.AddressView;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclStream;
import dev.transload.transport.hccs.internal.acl.CopyKind;
import dev.transload.transport.hccs.internal.acl.PinnedMemory;

import java.nio.ByteBuffer;

/** A stream and page-locked memory, by which the first bytes of a device's memory are set and read. */
final class DeviceBytes implements AutoCloseable
{
    static final int LENGTH = 64;
    static final int ENOUGH_MS = 30_000;

    private final AclStream stream;
    private final PinnedMemory pinned;

    DeviceBytes(final AclDevice device)
    {
        stream = device.openStream();
        PinnedMemory memory = null;
        try
        {
            memory = device.allocatePinned(LENGTH);
        }
        finally
        {
            if (null == memory)
            {
                stream.close();
            }
        }

        pinned = memory;
    }

    /** What is set and was read, in native byte order. */
    ByteBuffer view()
    {
        return AddressView.of(pinned.address(), LENGTH);
    }

    void set(final long target)
    {
        copy(CopyKind.HOST_TO_DEVICE, target, pinned.address());
    }

    void read(final long source)
    {
        copy(CopyKind.DEVICE_TO_HOST, pinned.address(), source);
    }

    /** Between devices. */
    void copy(final long target, final long source)
    {
        copy(CopyKind.DEVICE_TO_DEVICE, target, source);
    }

    private void copy(final CopyKind kind, final long target, final long source)
    {
        final int code = stream.copy(kind, target, source, LENGTH);
        if (0 != code)
        {
            throw stream.failure(code);
        }

        stream.finish(ENOUGH_MS);
    }

    @Override
    public void close()
    {
        stream.close();
        pinned.close();
    }
}

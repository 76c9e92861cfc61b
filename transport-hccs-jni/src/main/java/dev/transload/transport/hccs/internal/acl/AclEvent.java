/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/** A point in a stream, recorded as often as one likes; what counts is the last time. */
public final class AclEvent implements AutoCloseable
{
    private final AclDevice device;
    private final long handle;
    private boolean isOpen = true;

    AclEvent(final AclDevice device, final long handle)
    {
        this.device = device;
        this.handle = handle;
    }

    /**
     * Whether the stream has come to the point.
     *
     * @return 1 if it has, 0 if not yet or never recorded, or the negated code of the runtime.
     */
    public int look()
    {
        final long status = AclCalls.eventStatus(device.ordinal(), handle);
        return status < 0 ? (int)status : AclCalls.EVENT_COMPLETE == status ? 1 : 0;
    }

    long handle()
    {
        return handle;
    }

    @Override
    public synchronized void close()
    {
        if (isOpen)
        {
            device.check(AclCalls.eventDestroy(device.ordinal(), handle));
            isOpen = false;
        }
    }
}

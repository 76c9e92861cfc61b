/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/** An event as another library of the process has it. */
public final class TestEvent implements AutoCloseable
{
    private final AclEvent event;

    public TestEvent(final AclDevice device)
    {
        event = device.openEvent();
    }

    public long handle()
    {
        return event.handle();
    }

    @Override
    public void close()
    {
        event.close();
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Kernels of this process that stay on a device. Whatever gives memory back waits for all work of the device, and so
 * for them: they are made to leave before, and may come back.
 */
public final class Residents
{
    private final List<Resident> residents = new CopyOnWriteArrayList<>();

    /** A kernel that stays until it is told to leave. */
    public interface Resident
    {
        /** Make it leave, and wait until it has. When it doesn't in time, it says so and gives its device up. */
        void leave();
    }

    Residents()
    {
    }

    /**
     * A kernel may stay from here on.
     *
     * @param resident that will be made to leave.
     */
    public void add(final Resident resident)
    {
        residents.add(resident);
    }

    /** A kernel has left for good. */
    public void remove(final Resident resident)
    {
        residents.remove(resident);
    }

    void leave()
    {
        residents.forEach(Resident::leave);
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Transport;
import dev.transload.tck.DeviceChecks;
import java.util.ArrayList;
import java.util.List;

/** Objects of the SPI in a rank's process, by the handles under which the test's process knows them. */
final class RankObjects
{
    private final List<Object> objects = new ArrayList<>();

    long add(final Object object)
    {
        objects.add(object);
        return objects.size() - 1L;
    }

    <T> T get(final int handle, final Class<T> type)
    {
        return type.cast(objects.get(handle));
    }

    /** Closes all transports, and with them what is theirs; and what checks of devices have taken. */
    void clear()
    {
        try
        {
            for (final Object object : objects)
            {
                if (object instanceof final Transport transport)
                {
                    transport.close();
                }
                else if (object instanceof final DeviceChecks checks)
                {
                    checks.close();
                }
            }
        }
        finally
        {
            objects.clear();
        }
    }
}

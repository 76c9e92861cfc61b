/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.Transport;
import java.util.Map;

/** Prints how much shared memory one transport with two workers takes, see {@link MemoryTest}. */
final class FootprintMain
{
    private FootprintMain()
    {
    }

    /**
     * Run.
     *
     * @param args none.
     */
    public static void main(final String[] args)
    {
        try (Transport transport = new UcxTransportProvider().open(Rank.config(0, Map.of("tls", "posix,self"))))
        {
            transport.openWorker(0);
            transport.openWorker(1);
            System.out.println(ProcessFootprint.now().sharedBytes());
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.Availability;
import dev.transload.spi.TransportConfig;

/** Probes in a JVM without any flag. */
final class ProbeMain
{
    private ProbeMain()
    {
    }

    /**
     * Run.
     *
     * @param args none.
     */
    public static void main(final String[] args)
    {
        final Availability verdict = new AeronTransportProvider().probe(TransportConfig.builder().build());
        System.out.println(verdict instanceof Availability.Unavailable ?
            "unavailable: " + ((Availability.Unavailable)verdict).reason() : "available");
    }
}

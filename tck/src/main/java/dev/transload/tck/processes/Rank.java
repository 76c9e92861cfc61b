/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Transport;
import dev.transload.tck.DeviceChecks;
import java.util.Map;

/** What a rank's process offers at first; the objects that it answers offer the rest. */
interface Rank
{
    /** Opens a transport of the provider, a class with a public constructor without arguments. */
    Transport open(
        String provider, int rank, int worldSize, long incarnation, long livenessTimeoutNs,
        Map<String, String> options);

    /** An instance of a class with a public constructor without arguments. */
    DeviceChecks openChecks(String checks);

    /** Closes all transports and checks, and forgets all objects. */
    void reset();
}

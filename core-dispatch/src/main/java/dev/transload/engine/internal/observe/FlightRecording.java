/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.observe;

import jdk.jfr.FlightRecorder;

/**
 * Whether the flight recorder of this JVM runs. To be asked before an event class is touched: its first use starts the
 * recorder's machinery, a tenth of a second of processor time that a first call would pay for nothing.
 */
public final class FlightRecording
{
    private FlightRecording()
    {
    }

    /**
     * Whether anybody has recorded, or records, in this JVM.
     *
     * @return true from the first recording on.
     */
    public static boolean isOn()
    {
        return FlightRecorder.isInitialized();
    }
}

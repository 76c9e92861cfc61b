/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.Collections;
import java.util.TreeMap;
import java.util.Map;

/**
 * One check of devices.
 *
 * @param name name of the check, such as {@code put-patterns}.
 * @param body code of the check.
 */
public record DeviceCheck(String name, Body body)
{
    /** Code of a check. */
    @FunctionalInterface
    public interface Body
    {
        /**
         * Executes the check. Any exception that it throws counts as a failure.
         *
         * @param setup devices and fixtures to use.
         * @return result of the check.
         * @throws UnsupportedOperationException if the check does not apply here; the message gives the reason.
         */
        Shown run(DeviceSetup setup);
    }

    /**
     * Result of a successful check.
     *
     * @param note    clause that describes what was done.
     * @param figures measured values by name; each name ends with its unit. Sorted by name.
     */
    public record Shown(String note, Map<String, Double> figures)
    {
        /** Creates a result with a copy of the figures, sorted by name. */
        public Shown
        {
            figures = Collections.unmodifiableMap(new TreeMap<>(figures));
        }
    }
}

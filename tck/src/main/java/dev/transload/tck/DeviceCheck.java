/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.Collections;
import java.util.TreeMap;
import java.util.Map;

/**
 * One thing that devices are made to show.
 *
 * @param name such as {@code put-patterns}.
 * @param body makes it.
 */
public record DeviceCheck(String name, Body body)
{
    /** What is done. */
    @FunctionalInterface
    public interface Body
    {
        /**
         * Do it; whatever is thrown says what is wrong.
         *
         * @param setup of devices.
         * @return what it showed.
         * @throws UnsupportedOperationException whose message says why it does not apply here.
         */
        Shown run(DeviceSetup setup);
    }

    /**
     * What a check showed.
     *
     * @param note    what was done, in a clause.
     * @param figures by names that end with their units, sorted by name.
     */
    public record Shown(String note, Map<String, Double> figures)
    {
        /** Copies the figures, sorted. */
        public Shown
        {
            figures = Collections.unmodifiableMap(new TreeMap<>(figures));
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.List;
import java.util.Map;

/**
 * Additional checks that a device transport offers, besides the conformance rules and the checks of {@link DeviceRun}
 * that use only the SPI. When device checks are requested, the {@link java.util.ServiceLoader} finds the implementation
 * by the name of the transport. The kit needs to be on the class path only in this case.
 */
public interface DeviceChecks extends AutoCloseable
{
    /**
     * Returns the name of the transport whose devices are checked.
     *
     * @return name of the transport.
     */
    String transport();

    /**
     * Describes the software and hardware of the devices.
     *
     * @param options options of the transport.
     * @return facts such as library, version and chip, in display order.
     */
    Map<String, String> describe(Map<String, String> options);

    /**
     * Describes the connection between two devices.
     *
     * @param options options of the transport.
     * @param from    ordinal of a device.
     * @param to      ordinal of another device, or of the same one.
     * @return vendor's name of the connection, or "unknown".
     */
    String link(Map<String, String> options, int from, int to);

    /**
     * Returns the checks of this transport.
     *
     * @return checks in the order of their execution.
     */
    List<DeviceCheck> checks();

    /**
     * Answers a question that a check asks. The check runs in one process, and this method runs in another one. The
     * same instance in the other process answers all questions until it is closed.
     *
     * @param question one-line text that both processes understand.
     * @return answer to the question.
     */
    String answer(String question);

    /** Frees resources that were used to answer questions. */
    @Override
    default void close()
    {
    }
}

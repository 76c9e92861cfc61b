/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.util.List;
import java.util.Map;

/**
 * What a transport for devices can show of them besides the rules and the checks that go through the SPI. Found by the
 * {@link java.util.ServiceLoader} for the transport's name, and only where somebody asks for devices to be checked: the
 * kit is then on the class path, and need not be for anything else that the transport does.
 */
public interface DeviceChecks extends AutoCloseable
{
    /**
     * Whose devices it checks.
     *
     * @return name of the transport.
     */
    String transport();

    /**
     * What the devices are driven by.
     *
     * @param options of the transport.
     * @return such as library, version and chip, in the order in which they are to be read.
     */
    Map<String, String> describe(Map<String, String> options);

    /**
     * How two devices are connected.
     *
     * @param options of the transport.
     * @param from    ordinal of a device.
     * @param to      ordinal of another one, or of the same.
     * @return a word of the vendor's, or "unknown".
     */
    String link(Map<String, String> options, int from, int to);

    /**
     * Checks of its own.
     *
     * @return checks, in the order in which they are to be made.
     */
    List<DeviceCheck> checks();

    /**
     * Answers a question of one of these checks in another process, where an instance of its own lives until it is
     * closed.
     *
     * @param question which both sides know, on one line.
     * @return answer.
     */
    String answer(String question);

    /** Gives back what answering took. */
    @Override
    default void close()
    {
    }
}

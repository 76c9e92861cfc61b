/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.transload.spi.Availability;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import java.util.HashMap;
import java.util.Map;

/** UCX of this host, and the variables of programs that use it. */
final class UcxHost
{
    static final String NAME = "ucx";

    /** Flags of all JVMs of a program. */
    static final String JVM_FLAGS = "JAVA_TOOL_OPTIONS";

    /** Short runs spend most of their time compiling, unless told to do little of that. */
    static final Map<String, String> SHORT_RUN = Map.of(JVM_FLAGS, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

    private UcxHost()
    {
    }

    /** Leaves a test out where UCX is not installed; anything else that keeps the transport from running fails. */
    static void require()
    {
        final Availability availability =
            TransportRegistry.discover().provider(NAME).probe(TransportConfig.builder().build());
        if (availability instanceof final Availability.Unavailable unavailable &&
            unavailable.reason().startsWith("libucp.so.0 is missing"))
        {
            LoudSkip.because(unavailable.reason());
        }

        assertInstanceOf(Availability.Available.class, availability);
    }

    /** Variables for a short run all of whose rows go by UCX, over given transports of it. */
    static Map<String, String> both(final String transports)
    {
        final Map<String, String> variables = variables(transports);
        variables.put("TRANSLOAD_SCALE_OUT_TRANSPORT", NAME);
        variables.put("TRANSLOAD_SCALE_UP_TRANSPORT", NAME);
        return variables;
    }

    /**
     * Variables for a short run.
     *
     * @param transports value of UCX_TLS; empty for UCX's own choice.
     */
    static Map<String, String> variables(final String transports)
    {
        final Map<String, String> variables = new HashMap<>(SHORT_RUN);
        if (!transports.isEmpty())
        {
            variables.put("UCX_TLS", transports);
        }

        return variables;
    }
}

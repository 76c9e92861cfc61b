/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.ConfigurationException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings that UCX reads from the environment of the whole process: most of those below a context, e.g. of a device,
 * are taken from there alone. The user's environment wins; two transports of a process must not want different things.
 */
final class ProcessSettings
{
    private static final Logger LOG = LoggerFactory.getLogger(ProcessSettings.class);
    private static final Map<String, String> CLAIMED = new HashMap<>();

    /**
     * Each worker takes buffers for inbound messages as soon as it is made. By default these are 4 MB of shared memory,
     * of which a container has 64 MB; more come when they are needed.
     */
    private static final Map<String, String> MODEST = Map.of("POSIX_RX_BUFS_GROW", "32", "SYSV_RX_BUFS_GROW", "32");

    /**
     * UCX sends puts over TCP as messages of this size. With its default of 8 KiB a row takes several system calls at
     * both ends, and a run across a network more than twice the processor time.
     */
    private static final String TCP_SEND_SIZE = "TCP_TX_SEG_SIZE";

    /** UCX demands that messages fit this; it is 64 KiB by default. */
    private static final String TCP_RECEIVE_SIZE = "TCP_RX_SEG_SIZE";

    /** For both. Larger messages are no faster, and each worker keeps some buffers of this size. */
    private static final String TCP_MESSAGE = "256k";

    private ProcessSettings()
    {
    }

    /**
     * Settings whose defaults are other than UCX's.
     *
     * @param settings    by name without {@link UcxOptions#PREFIX}.
     * @param environment of the user.
     * @return values by name without the prefix.
     */
    static Map<String, String> defaults(final Map<String, String> settings, final Map<String, String> environment)
    {
        final Map<String, String> defaults = new HashMap<>(MODEST);
        if (!isSet(TCP_SEND_SIZE, settings, environment) && !isSet(TCP_RECEIVE_SIZE, settings, environment))
        {
            defaults.put(TCP_SEND_SIZE, TCP_MESSAGE);
            defaults.put(TCP_RECEIVE_SIZE, TCP_MESSAGE);
        }

        return defaults;
    }

    private static boolean isSet(
        final String name, final Map<String, String> settings, final Map<String, String> environment)
    {
        return settings.containsKey(name) || environment.containsKey(UcxOptions.PREFIX + name);
    }

    /**
     * Claim settings for this process.
     *
     * @param settings    by name without {@link UcxOptions#PREFIX}.
     * @param defaults    likewise, for what neither the settings nor the environment nor an earlier claim names.
     * @param environment of the user.
     * @return variables to be set, by their full name.
     * @throws ConfigurationException when another transport of this process has claimed something else.
     */
    static synchronized Map<String, String> claim(
        final Map<String, String> settings, final Map<String, String> defaults, final Map<String, String> environment)
    {
        final Map<String, String> variables = new LinkedHashMap<>();
        settings.forEach((name, value) ->
        {
            final String variable = UcxOptions.PREFIX + name;
            final String inherited = environment.get(variable);
            final String claimed = CLAIMED.get(variable);
            if (null != inherited && !inherited.equals(value))
            {
                LOG.warn("transport ucx: {}={} of transload.ucx.settings is not used, the environment has {}",
                    name, value, inherited);
            }
            else if (null != claimed && !claimed.equals(value))
            {
                throw new ConfigurationException("transload.ucx.settings = " + name + "=" + value +
                    " is not allowed: UCX reads " + variable + " once a process, and a transport of this process has " +
                    "set it to " + claimed);
            }
            else
            {
                variables.put(variable, value);
            }
        });
        defaults.forEach((name, value) ->
        {
            final String variable = UcxOptions.PREFIX + name;
            if (!environment.containsKey(variable) && !CLAIMED.containsKey(variable))
            {
                variables.putIfAbsent(variable, value);
            }
        });
        CLAIMED.putAll(variables);
        return variables;
    }
}

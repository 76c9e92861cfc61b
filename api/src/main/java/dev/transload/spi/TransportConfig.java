/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Immutable, validated configuration of one transport instance. */
public final class TransportConfig
{
    /**
     * Default of {@link #livenessTimeoutNs()}: nanoseconds without a sign of life after which a peer counts as dead.
     */
    public static final long DEFAULT_LIVENESS_TIMEOUT_NS = 7_500_000_000L;

    private final int rank;
    private final int worldSize;
    private final long incarnation;
    private final long livenessTimeoutNs;
    private final Map<String, String> options;
    private final Consumer<TransportException> errorHandler;

    private TransportConfig(final Builder builder)
    {
        this.rank = builder.rank;
        this.worldSize = builder.worldSize;
        this.incarnation = builder.incarnation;
        this.livenessTimeoutNs = builder.livenessTimeoutNs;
        this.options = Map.copyOf(builder.options);
        this.errorHandler = builder.errorHandler;
    }

    /**
     * Creates a builder with defaults that suffice for a test of one rank: rank 0 of 1, incarnation 1, a liveness
     * timeout of {@link #DEFAULT_LIVENESS_TIMEOUT_NS}, no options, and an error handler that does nothing.
     *
     * @return builder with these defaults.
     */
    public static Builder builder()
    {
        return new Builder();
    }

    /**
     * Returns this rank.
     *
     * @return rank in [0, worldSize).
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Returns the number of ranks.
     *
     * @return world size.
     */
    public int worldSize()
    {
        return worldSize;
    }

    /**
     * Returns the incarnation of this rank: a number that differs each time the rank's process is started.
     *
     * @return incarnation.
     */
    public long incarnation()
    {
        return incarnation;
    }

    /**
     * Returns the time without a sign of life after which a peer counts as dead.
     *
     * @return nanoseconds.
     */
    public long livenessTimeoutNs()
    {
        return livenessTimeoutNs;
    }

    /**
     * Returns the provider's options by key, as they were configured.
     *
     * @return immutable map.
     */
    public Map<String, String> options()
    {
        return options;
    }

    /**
     * Returns the handler of failures that no operation can report, because they occur outside the operations of a
     * caller.
     *
     * @return handler. Any thread may call the handler, which must return quickly.
     */
    public Consumer<TransportException> errorHandler()
    {
        return errorHandler;
    }

    /**
     * Throws an exception if a configured option is not an option of the provider.
     *
     * @param transport name of the provider.
     * @param known     options of the provider.
     * @throws ConfigurationException if an option is unknown; the message names its key and the known keys.
     */
    public void refuseUnknownOptions(final String transport, final List<ConfigOption> known)
    {
        final List<String> names = known.stream().map(ConfigOption::key).sorted().toList();
        for (final String key : options.keySet())
        {
            if (!names.contains(key))
            {
                throw new ConfigurationException("transload." + transport + "." + key +
                    " is not a key of this transport: known are " + String.join(", ", names) +
                    NearestName.question(key, names, "transload." + transport + "."));
            }
        }
    }

    /**
     * Returns the value of an option as text.
     *
     * @param option option of the provider.
     * @return configured value, or the default value.
     */
    public String text(final ConfigOption option)
    {
        return options.getOrDefault(option.key(), option.defaultValue());
    }

    /**
     * Returns the value of an option as a whole number.
     *
     * @param transport name of the provider.
     * @param option    option of the provider.
     * @param min       smallest allowed value.
     * @param max       largest allowed value.
     * @return value.
     * @throws ConfigurationException if the value is not allowed; the message names the key, the value and the allowed
     *                                values.
     */
    public long number(final String transport, final ConfigOption option, final long min, final long max)
    {
        final String value = text(option);
        try
        {
            final long number = Long.parseLong(value);
            if (min <= number && number <= max)
            {
                return number;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw option.refuse(transport, value);
        }

        throw option.refuse(transport, value);
    }

    /** Builds a configuration and validates it. */
    public static final class Builder
    {
        private int rank;
        private int worldSize = 1;
        private long incarnation = 1;
        private long livenessTimeoutNs = DEFAULT_LIVENESS_TIMEOUT_NS;
        private Map<String, String> options = Map.of();
        private Consumer<TransportException> errorHandler = (ex) -> {};

        private Builder()
        {
        }

        /**
         * Sets this rank. The default is 0.
         *
         * @param value rank in [0, worldSize).
         * @return this.
         */
        public Builder rank(final int value)
        {
            this.rank = value;
            return this;
        }

        /**
         * Sets the number of ranks. The default is 1.
         *
         * @param value number of ranks, positive.
         * @return this.
         */
        public Builder worldSize(final int value)
        {
            this.worldSize = value;
            return this;
        }

        /**
         * Sets the incarnation of this rank. The default is 1. Peers pass the same number to {@link Worker#connect}.
         *
         * @param value number that no earlier process of this rank used.
         * @return this.
         */
        public Builder incarnation(final long value)
        {
            this.incarnation = value;
            return this;
        }

        /**
         * Sets the time without a sign of life after which a peer counts as dead. The default is
         * {@link #DEFAULT_LIVENESS_TIMEOUT_NS}.
         *
         * @param value nanoseconds, positive.
         * @return this.
         */
        public Builder livenessTimeoutNs(final long value)
        {
            this.livenessTimeoutNs = value;
            return this;
        }

        /**
         * Sets the provider's options. An option that is not set has its default value.
         *
         * @param values values by key.
         * @return this.
         */
        public Builder options(final Map<String, String> values)
        {
            this.options = new HashMap<>(values);
            return this;
        }

        /**
         * Sets the handler of failures that no operation can report, because they occur outside the operations of a
         * caller. By default these failures are ignored.
         *
         * @param handler handler, which any thread may call.
         * @return this.
         */
        public Builder errorHandler(final Consumer<TransportException> handler)
        {
            this.errorHandler = handler;
            return this;
        }

        /**
         * Validates the values and builds the configuration.
         *
         * @return the configuration.
         * @throws ConfigurationException if a value is not allowed; the message names the value and the allowed values.
         */
        public TransportConfig build()
        {
            if (worldSize < 1 || rank < 0 || rank >= worldSize)
            {
                throw new ConfigurationException(
                    "rank = " + rank + " is not allowed: must be in [0, " + worldSize + ")");
            }

            if (livenessTimeoutNs <= 0)
            {
                throw new ConfigurationException(
                    "liveness timeout = " + livenessTimeoutNs + " ns is not allowed: must be positive");
            }

            return new TransportConfig(this);
        }
    }
}

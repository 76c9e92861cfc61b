/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Immutable, validated configuration of one transport instance. */
public final class TransportConfig
{
    /** Time without a sign of life after which a peer counts as dead, unless configured. */
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
     * Start building. A test of one rank needs nothing but these defaults: rank 0 of 1, incarnation 1, a liveness
     * timeout of {@link #DEFAULT_LIVENESS_TIMEOUT_NS}, no options, and an error handler that does nothing.
     *
     * @return a builder with these defaults.
     */
    public static Builder builder()
    {
        return new Builder();
    }

    /**
     * Own rank.
     *
     * @return rank in [0, worldSize).
     */
    public int rank()
    {
        return rank;
    }

    /**
     * Number of ranks.
     *
     * @return world size.
     */
    public int worldSize()
    {
        return worldSize;
    }

    /**
     * Number of this life of the rank.
     *
     * @return incarnation.
     */
    public long incarnation()
    {
        return incarnation;
    }

    /**
     * Time without a sign of life after which a peer counts as dead.
     *
     * @return nanoseconds.
     */
    public long livenessTimeoutNs()
    {
        return livenessTimeoutNs;
    }

    /**
     * Provider options by key, as given.
     *
     * @return immutable map.
     */
    public Map<String, String> options()
    {
        return options;
    }

    /**
     * Receiver of failures that no caller's operation could report.
     *
     * @return handler, called on any thread; it must be quick.
     */
    public Consumer<TransportException> errorHandler()
    {
        return errorHandler;
    }

    /**
     * Refuse keys that a provider does not know.
     *
     * @param transport name of the provider.
     * @param known     its options.
     * @throws ConfigurationException naming the key and those known.
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
     * Text of an option.
     *
     * @param option of the provider.
     * @return configured value, else the default.
     */
    public String text(final ConfigOption option)
    {
        return options.getOrDefault(option.key(), option.defaultValue());
    }

    /**
     * Whole number of an option.
     *
     * @param transport name of the provider.
     * @param option    of the provider.
     * @param min       smallest value allowed.
     * @param max       largest value allowed.
     * @return value.
     * @throws ConfigurationException naming key, value and what is allowed.
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

    /** Collects values, validates once. */
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
         * Own rank; 0 unless it is set.
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
         * Number of ranks; 1 unless it is set.
         *
         * @param value positive.
         * @return this.
         */
        public Builder worldSize(final int value)
        {
            this.worldSize = value;
            return this;
        }

        /**
         * Number of this life of the rank; 1 unless it is set. Peers give the same number to {@link Worker#connect}.
         *
         * @param value which no earlier life used.
         * @return this.
         */
        public Builder incarnation(final long value)
        {
            this.incarnation = value;
            return this;
        }

        /**
         * Time without a sign of life after which a peer counts as dead; {@link #DEFAULT_LIVENESS_TIMEOUT_NS} unless it
         * is set.
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
         * Provider options; none unless they are set, so that each has its default.
         *
         * @param values by key.
         * @return this.
         */
        public Builder options(final Map<String, String> values)
        {
            this.options = new HashMap<>(values);
            return this;
        }

        /**
         * Receiver of failures that no caller's operation could report; without one they are not reported.
         *
         * @param handler called on any thread.
         * @return this.
         */
        public Builder errorHandler(final Consumer<TransportException> handler)
        {
            this.errorHandler = handler;
            return this;
        }

        /**
         * Validate and freeze.
         *
         * @return the configuration.
         * @throws ConfigurationException naming the value and what is allowed.
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

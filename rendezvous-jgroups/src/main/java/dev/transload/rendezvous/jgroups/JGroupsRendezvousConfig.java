/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.spi.DurationText;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Configuration with which a rank joins the other ranks. It is immutable and checked by {@link Builder#build()}. */
public final class JGroupsRendezvousConfig
{
    /**
     * Path of the rendezvous settings in a configuration of Typesafe Config. The {@code reference.conf} of this module
     * documents each setting.
     */
    public static final String PATH = "transload.rendezvous";

    private static final Set<String> KEYS = Set.of("address", "bind", "secret", "timeout", "failure-timeout");
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MIN_FAILURE_TIMEOUT = Duration.ofMillis(500);
    private static final Duration MAX_TIMEOUT = Duration.ofDays(1);

    private final int rank;
    private final int worldSize;
    private final int generation;
    private final AddressList addresses;
    private final String bind;
    private final String secret;
    private final Duration timeout;
    private final Duration failureTimeout;
    private final Consumer<String> tell;

    private JGroupsRendezvousConfig(final Builder builder)
    {
        rank = builder.rank;
        worldSize = builder.worldSize;
        generation = builder.generation;
        tell = builder.tell;
        addresses = null == tell ?
            AddressList.parse(builder.address, builder.worldSize, InetAddress::getAllByName) :
            AddressList.anyPort(builder.address, InetAddress::getAllByName);
        bind = builder.bind;
        secret = builder.secret;
        timeout = builder.timeout;
        failureTimeout = builder.failureTimeout;
    }

    /** {@return a builder with default values} */
    public static Builder builder()
    {
        return new Builder();
    }

    /**
     * Creates a builder from the settings below {@link #PATH}. Rank and world size are not read; the caller must set
     * them, usually from the launcher.
     *
     * @param config resolved configuration that includes the reference configuration.
     * @return builder that can be changed further.
     * @throws RendezvousException with {@code BAD_CONFIGURATION} if a setting is wrong; the message names the key, the
     *                             value and the allowed values.
     */
    public static Builder from(final Config config)
    {
        final Config settings;
        try
        {
            settings = config.getConfig(PATH);
            final Set<String> unknown = new TreeSet<>(settings.root().keySet());
            unknown.removeAll(KEYS);
            if (!unknown.isEmpty())
            {
                throw bad(PATH + "." + unknown.iterator().next() + " is not a key; allowed are " +
                    String.join(", ", new TreeSet<>(KEYS)));
            }
            return builder()
                .address(settings.getString("address"))
                .bind(settings.getString("bind"))
                .secret(settings.getString("secret"))
                .timeout(duration(settings, "timeout", MIN_TIMEOUT))
                .failureTimeout(duration(settings, "failure-timeout", MIN_FAILURE_TIMEOUT));
        }
        catch (final ConfigException ex)
        {
            throw new RendezvousException(Reason.BAD_CONFIGURATION, "a rendezvous setting is wrong: " +
                ex.getMessage(), ex);
        }
    }

    /** {@return the rank of this process, in [0, {@link #worldSize()})} */
    public int rank()
    {
        return rank;
    }

    /** {@return the number of ranks, at least 1} */
    public int worldSize()
    {
        return worldSize;
    }

    int generation()
    {
        return generation;
    }

    AddressList addresses()
    {
        return addresses;
    }

    /** Who is told where rank 0 listens; empty where that was known beforehand. */
    Optional<Consumer<String>> tell()
    {
        return Optional.ofNullable(tell);
    }

    Optional<String> bind()
    {
        return Optional.of(bind).filter(host -> !host.isBlank());
    }

    Optional<String> secret()
    {
        return Optional.of(secret).filter(text -> !text.isEmpty());
    }

    /** {@return the longest time to wait for the world to form} */
    public Duration timeout()
    {
        return timeout;
    }

    /** {@return the longest silence of a connected member before it counts as failed} */
    public Duration failureTimeout()
    {
        return failureTimeout;
    }

    private static Duration duration(final Config settings, final String key, final Duration min)
    {
        final String text = settings.getString(key);
        return DurationText.parse(text).orElseThrow(() -> bad(key, text, min));
    }

    private static RendezvousException bad(final String key, final String value, final Duration min)
    {
        return bad(PATH + "." + key + " = " + value + " is not allowed: must be " + DurationText.ALLOWED + ", from " +
            min.toMillis() + " ms to " + MAX_TIMEOUT.toHours() + " h");
    }

    private static RendezvousException bad(final String message)
    {
        return new RendezvousException(Reason.BAD_CONFIGURATION, message);
    }

    /** Builds a configuration from single settings. */
    public static final class Builder
    {
        private int rank = -1;
        private int worldSize;
        private int generation;
        private String address = "";
        private String bind = "";
        private String secret = "";
        private Duration timeout = Duration.ofSeconds(30);
        private Duration failureTimeout = Duration.ofSeconds(10);
        private Consumer<String> tell;

        private Builder()
        {
        }

        /** Sets the rank of this process, in [0, world size). There is no default. */
        public Builder rank(final int value)
        {
            rank = value;
            return this;
        }

        /** Sets the number of ranks, at least 1. There is no default. */
        public Builder worldSize(final int value)
        {
            worldSize = value;
            return this;
        }

        /**
         * Sets the generation: the number of times that the ranks have been restarted. Ranks of different generations
         * do not join the same world. The default is 0.
         */
        public Builder generation(final int value)
        {
            generation = value;
            return this;
        }

        /**
         * Sets the address at which ranks meet: {@code host:port} of rank 0, or a comma-separated list of all ranks'
         * addresses. There is no default.
         */
        public Builder address(final String value)
        {
            address = value;
            tell = null;
            return this;
        }

        /**
         * Makes rank 0 listen on a free port instead of a configured port. The listener receives the address before
         * rank 0 waits for the other ranks.
         *
         * @param host     name or address of this host that the other ranks can use.
         * @param listener consumer that receives {@code host:port} on the joining thread; an exception that the
         *                 listener throws ends the attempt to join.
         * @return this builder.
         */
        public Builder anyPort(final String host, final Consumer<String> listener)
        {
            address = host;
            tell = listener;
            return this;
        }

        /**
         * Sets the name or address of the interface to listen on. The default is blank, which means that the interface
         * is derived from the rendezvous address.
         */
        public Builder bind(final String value)
        {
            bind = value;
            return this;
        }

        /**
         * Sets the secret that all ranks share. Joining ranks must prove that they know it, and messages are encrypted.
         * Null or empty means no secret.
         */
        public Builder secret(final String value)
        {
            secret = null == value ? "" : value;
            return this;
        }

        /** Sets the longest time to wait for the world to form, at most one day. The default is 30 s. */
        public Builder timeout(final Duration value)
        {
            timeout = value;
            return this;
        }

        /**
         * Sets the longest silence of a connected member before it counts as failed, from 500 ms to one day. The
         * default is 10 s. The end of a process is noticed earlier, because its connections close.
         */
        public Builder failureTimeout(final Duration value)
        {
            failureTimeout = value;
            return this;
        }

        /**
         * Checks the settings and creates the configuration.
         *
         * @return immutable configuration.
         * @throws RendezvousException with {@code BAD_CONFIGURATION} if a setting is wrong; the message names the
         *                             setting, the value and the allowed values.
         */
        public JGroupsRendezvousConfig build()
        {
            if (worldSize < 1)
            {
                throw bad("world size " + worldSize + " is not allowed; it is at least 1");
            }
            if (rank < 0 || rank >= worldSize)
            {
                throw bad("rank " + rank + " is not allowed in a world of " + worldSize + "; 0 to " +
                    (worldSize - 1) + " is");
            }
            if (address.isBlank())
            {
                throw bad(PATH + ".address is empty; set it to host:port of rank 0, or to all ranks' addresses");
            }
            if (null != tell && 0 != rank)
            {
                throw bad("any port is for rank 0 alone; rank " + rank + " joins at the address that rank 0 tells");
            }
            check("timeout", timeout, MIN_TIMEOUT);
            check("failure-timeout", failureTimeout, MIN_FAILURE_TIMEOUT);
            return new JGroupsRendezvousConfig(this);
        }

        private static void check(final String key, final Duration value, final Duration min)
        {
            if (value.compareTo(min) < 0 || value.compareTo(MAX_TIMEOUT) > 0)
            {
                throw bad(key, value.toMillis() + " ms", min);
            }
        }
    }
}

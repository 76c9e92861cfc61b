/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.Availability;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.RefusedProvider;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Settings of one stage.
 *
 * @param transport   name of the transport. Until the engine opens, the value may also be {@link #AUTO}, or several
 *                    names in order of preference, separated by commas.
 * @param chunk       largest number of rows that are sent together, positive.
 * @param ring        number of slots of each ring, at least {@code chunk + creditBatch − 1}.
 * @param creditBatch number of rows after which a consumer reports how many rows it has consumed, positive.
 * @param credit      how a consumer reports how many rows it has consumed.
 * @param passedOver  transports that were preferred to {@code transport} but are not available.
 */
public record StageConfig(
    String transport, int chunk, int ring, int creditBatch, CreditMode credit, List<PassedOver> passedOver)
{
    /** Automatic choice of the transport: the only transport found. */
    public static final String AUTO = "auto";

    private static final String COMMA = ",";

    /**
     * A transport that was preferred to the chosen transport but is not available.
     *
     * @param transport name of the transport.
     * @param reason    why the transport is not available, and how to make it available.
     */
    public record PassedOver(String transport, String reason)
    {
        @Override
        public String toString()
        {
            return transport + " is unavailable because " + reason;
        }
    }

    /** Creates settings with a copy of the list of unavailable transports. */
    public StageConfig
    {
        passedOver = List.copyOf(passedOver);
    }

    /**
     * Creates settings without a list of unavailable transports.
     *
     * @param transport   name of the transport.
     * @param chunk       largest number of rows that are sent together.
     * @param ring        number of slots of each ring.
     * @param creditBatch number of rows after which a consumer reports how many rows it has consumed.
     * @param credit      how a consumer reports how many rows it has consumed.
     */
    public StageConfig(
        final String transport, final int chunk, final int ring, final int creditBatch, final CreditMode credit)
    {
        this(transport, chunk, ring, creditBatch, credit, List.of());
    }

    /**
     * Returns a copy with other sizes.
     *
     * @param rows    largest number of rows that are sent together.
     * @param slots   number of slots of each ring.
     * @param batch   number of rows after which a consumer reports how many rows it has consumed.
     * @return copy.
     */
    public StageConfig with(final int rows, final int slots, final int batch)
    {
        return new StageConfig(transport, rows, slots, batch, credit, passedOver);
    }

    /**
     * Returns the names of the configured transports, in order of preference.
     *
     * @return names, or {@link #AUTO} alone.
     */
    public List<String> preferences()
    {
        return List.of(transport.split(COMMA));
    }

    /**
     * With the transport settled, of a stage that the world has.
     *
     * @param section  name of the stage in the configuration, e.g. {@code scale-out}.
     * @param registry registry of transports found.
     * @param options  options of a transport, by its name.
     * @return this, or a copy where one name is left.
     * @throws ConfigurationException        if {@link #AUTO} finds none, or several to choose from, or if a name of
     *                                       several is unknown.
     * @throws TransportUnavailableException if none of several is available.
     */
    StageConfig resolve(
        final String section, final TransportRegistry registry, final Function<String, Map<String, String>> options)
    {
        if (transport.contains(COMMA))
        {
            return firstAvailable(section, registry, options);
        }

        if (!AUTO.equals(transport))
        {
            return this;
        }

        final List<String> names =
            registry.providers().stream().map((found) -> found.provider().name()).toList();
        if (1 != names.size())
        {
            throw new ConfigurationException("transload." + section + ".transport = auto cannot choose: " +
                (names.isEmpty() ? "no transport is found, add one's jar to the class path" :
                "must name one of " + String.join(", ", names)));
        }

        return named(names.get(0), List.of());
    }

    /**
     * With the transport settled, of a stage that the world does not have: no transport is asked whether it is
     * available, and none is opened.
     *
     * @param registry registry of transports found.
     * @param other    transport of the stage that the world has, which {@link #AUTO} takes.
     * @return this, or a copy where one name is left.
     * @throws ConfigurationException if a name of several is unknown.
     */
    StageConfig resolveUnused(final TransportRegistry registry, final String other)
    {
        if (transport.contains(COMMA))
        {
            requireKnown(registry);
            final List<String> names = preferences();
            return named(names.stream().filter((name) -> null == refusedBecause(name, registry)).findFirst()
                .orElse(names.get(0)), List.of());
        }

        return AUTO.equals(transport) ? named(other, List.of()) : this;
    }

    private StageConfig named(final String name, final List<PassedOver> passed)
    {
        return new StageConfig(name, chunk, ring, creditBatch, credit, passed);
    }

    /** All of them: a name that is misspelt must not pass for one that is not available, whatever stands before it. */
    private void requireKnown(final TransportRegistry registry)
    {
        for (final String name : preferences())
        {
            if (null == refusedBecause(name, registry))
            {
                registry.provider(name);
            }
        }
    }

    private StageConfig firstAvailable(
        final String section, final TransportRegistry registry, final Function<String, Map<String, String>> options)
    {
        requireKnown(registry);
        final List<PassedOver> passed = new ArrayList<>();
        for (final String name : preferences())
        {
            final String reason = unavailableBecause(name, registry, options);
            if (null == reason)
            {
                return named(name, passed);
            }

            passed.add(new PassedOver(name, reason));
        }

        throw new TransportUnavailableException("transload." + section + ".transport = [" +
            String.join(", ", preferences()) + "] cannot choose: " +
            passed.stream().map(PassedOver::toString).collect(Collectors.joining("; ")), null);
    }

    private static String unavailableBecause(
        final String name, final TransportRegistry registry, final Function<String, Map<String, String>> options)
    {
        final String refused = refusedBecause(name, registry);
        return null != refused ? "it is refused: " + refused :
            registry.provider(name).probe(TransportConfig.builder().options(options.apply(name)).build())
            instanceof final Availability.Unavailable unavailable ? unavailable.reason() : null;
    }

    private static String refusedBecause(final String name, final TransportRegistry registry)
    {
        return registry.refused().stream().filter((refused) -> refused.name().equals(name))
            .map(RefusedProvider::reason).findFirst().orElse(null);
    }

    /**
     * Checks that the sizes are positive and that they cannot cause a deadlock.
     *
     * @param section name of the stage in the configuration, e.g. {@code scale-out}.
     * @throws ConfigurationException if a size is not positive or the sizes could cause a deadlock; the message names
     *                                the keys, the values and the rule.
     */
    public void check(final String section)
    {
        requirePositive(section, "chunk", chunk);
        requirePositive(section, "credit-batch", creditBatch);
        requirePositive(section, "ring", ring);
        if ((long)chunk + creditBatch - 1 > ring)
        {
            throw new ConfigurationException("transload." + section + ".ring = " + ring +
                " could deadlock: must be at least chunk + credit-batch - 1 = " + chunk + " + " + creditBatch +
                " - 1 = " + ((long)chunk + creditBatch - 1));
        }
    }

    private static void requirePositive(final String section, final String key, final int value)
    {
        if (value < 1)
        {
            throw new ConfigurationException(
                "transload." + section + "." + key + " = " + value + " is not allowed: must be at least 1");
        }
    }
}

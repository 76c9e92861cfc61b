/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads durations in options and configuration files. A duration is a number with its unit. A number without a unit is
 * refused, since 30 could mean seconds or milliseconds.
 */
public final class DurationText
{
    /** Description of the allowed durations, for error messages. */
    public static final String ALLOWED = "a positive duration with its unit, e.g. 30s, 500ms or 2m";

    private static final Pattern FORM = Pattern.compile("\\s*(\\d{1,18}(?:\\.\\d{1,9})?)\\s*([a-z]+)\\s*");
    /** What {@link Duration#toNanos()} can say. */
    private static final BigDecimal MAX_NS = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final Map<String, Long> UNITS_NS = new HashMap<>();

    static
    {
        unit(1L, "ns", "nano", "nanos", "nanosecond", "nanoseconds");
        unit(1_000L, "us", "micro", "micros", "microsecond", "microseconds");
        unit(1_000_000L, "ms", "milli", "millis", "millisecond", "milliseconds");
        unit(1_000_000_000L, "s", "second", "seconds");
        unit(60_000_000_000L, "m", "minute", "minutes");
        unit(3_600_000_000_000L, "h", "hour", "hours");
        unit(86_400_000_000_000L, "d", "day", "days");
    }

    private DurationText()
    {
    }

    /**
     * Reads a duration.
     *
     * @param text positive number and a unit as in HOCON (ns, us, ms, s, m, h, d or their long names).
     * @return duration; empty if the text is not a duration, for example because its unit is missing.
     */
    public static Optional<Duration> parse(final String text)
    {
        final Matcher matcher = FORM.matcher(text);
        final Long unitNs = matcher.matches() ? UNITS_NS.get(matcher.group(2)) : null;
        if (null == unitNs)
        {
            return Optional.empty();
        }

        final BigDecimal ns = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unitNs));
        return 0 == ns.signum() || ns.compareTo(MAX_NS) > 0 ? Optional.empty() :
            Optional.of(Duration.ofNanos(ns.setScale(0, RoundingMode.DOWN).longValueExact()));
    }

    private static void unit(final long ns, final String... names)
    {
        for (final String name : names)
        {
            UNITS_NS.put(name, ns);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import dev.transload.engine.CreditMode;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.IdleMode;
import dev.transload.engine.Near;
import dev.transload.engine.OnPeerFailure;
import dev.transload.engine.OutputLayout;
import dev.transload.engine.PayloadConfig;
import dev.transload.engine.Placement;
import dev.transload.engine.SizeConfig;
import dev.transload.engine.StageConfig;
import dev.transload.engine.StagingMode;
import dev.transload.engine.ThreadConfig;
import dev.transload.engine.WorldConfig;
import dev.transload.engine.cores.CoreChoice;
import dev.transload.engine.cores.CoreSet;
import dev.transload.kernels.ElementType;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.DurationText;
import dev.transload.spi.MemoryKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the {@code transload} section; every refusal names the key, the value and what is allowed. */
public final class ConfigReader
{
    private static final String BYTES = "a positive size with its unit, e.g. 32 MiB";
    private static final String ROOT = KnownKeys.ROOT;
    private static final int MAX_THREADS = 256;
    private static final int MAX_NODES = 1 << 16;
    private static final int MAX_RANKS_PER_NODE = 1 << 12;
    private static final int MAX_HIDDEN = 1 << 20;
    private static final String HIDDEN = "a multiple of 8 in [8, " + MAX_HIDDEN + "]";
    private static final String RANKS_OF_NODES = "a whole number in [1, " + MAX_RANKS_PER_NODE + "], or one for each " +
        "node, e.g. [8, 8, 4]";
    private static final String TRANSPORTS = "the name of a transport, or different names in order of preference, " +
        "e.g. [first, second]";
    private static final String THREADS_OF_ROLES = "[], or five positive numbers: threads of senders, sender " +
        "coordinators, forwarders, forwarder coordinators and receivers, e.g. [2, 1, 4, 1, 2]";
    private static final String AUTO = "auto";
    private static final String AUTO_OR = AUTO + ", or ";
    private static final int DEADLINE_PER_LIVENESS = 4;

    private final Config config;
    private final KnownKeys known;

    /**
     * Over a resolved configuration.
     *
     * @param root which holds the {@code transload} section.
     */
    public ConfigReader(final Config root)
    {
        final Config reference = reference();
        this.known = new KnownKeys(reference.getObject(ROOT));
        this.config = root.withFallback(reference).resolve().getConfig(ROOT);
        known.check(config.root());
    }

    /** The engine's own keys with their defaults. */
    static Config reference()
    {
        return ConfigFactory.parseResources(
            ConfigReader.class.getClassLoader(), "dev/transload/engine/engine.conf").resolve();
    }

    /** Read all settings. */
    public EngineConfig read()
    {
        final int maxHidden = number("max-hidden", 8, MAX_HIDDEN, HIDDEN);
        if (0 != maxHidden % 8)
        {
            throw refuse("max-hidden", maxHidden, HIDDEN);
        }

        final Duration callTimeout = duration("timeouts.call");
        final SizeConfig sizes = new SizeConfig(
            size("channels", 256), sizes("scale-out"), sizes("scale-up"), bytesOrAuto("ring-memory"),
            bytes("payload.ring-memory"), bytesOrAuto("table-memory"));
        return SizeRule.forHost(new EngineConfig(
            world(), sizes, SizeConfig.AUTO, maxHidden, number("max-topk", 1, 128),
            number("max-experts", 1, 1 << 20), stage("scale-out"), stage("scale-up"),
            choice("placement", Placement.values()), choice("combine.wire", ElementType.BF16, ElementType.F32),
            choice("dispatch.output", OutputLayout.values()), number("dispatch.expert-alignment", 1, 1 << 20),
            threads(), payload(), callTimeout, duration("timeouts.open"), liveness(callTimeout),
            choice("on-peer-failure", OnPeerFailure.values()), transportOptions(), kernelOptions()));
    }

    /**
     * Settings of the low-latency mode.
     *
     * @param maxTokens most tokens of one call of a rank.
     * @param channels  transport channels to each rank.
     * @param near      which ranks are reached in place.
     * @param timeout   how long a rank is waited for.
     */
    public record LowLatency(int maxTokens, int channels, Near near, Duration timeout)
    {
    }

    /** Read the settings of the low-latency mode. */
    public LowLatency lowLatency(final Duration callTimeout)
    {
        return new LowLatency(number("low-latency.max-tokens", 1, 1 << 14), number("low-latency.channels", 1, 64),
            choice("low-latency.near", Near.values()),
            durationOrAuto("low-latency.timeout", callTimeout));
    }

    private StageConfig stage(final String section)
    {
        return new StageConfig(transport(section + ".transport"), SizeConfig.AUTO, SizeConfig.AUTO, SizeConfig.AUTO,
            choice(section + ".credit", CreditMode.values()));
    }

    private SizeConfig.Stage sizes(final String section)
    {
        return new SizeConfig.Stage(size(section + ".chunk", 1 << 20), size(section + ".ring", 1 << 24),
            size(section + ".credit-batch", 1 << 20));
    }

    private int size(final String key, final int max)
    {
        return numberOrAuto(key, 1, max, SizeConfig.AUTO);
    }

    private ThreadConfig threads()
    {
        final int count = numberOrAuto("threads.count", 0, MAX_THREADS, ThreadConfig.AUTO);
        final IdleMode idle = choice("threads.idle", IdleMode.values());
        final List<Integer> roles = roles();
        if (roles.isEmpty())
        {
            return new ThreadConfig(count, idle, cores());
        }

        final int sum = roles.stream().mapToInt(Integer::intValue).sum();
        if (sum > MAX_THREADS || ThreadConfig.AUTO != count && sum != count)
        {
            throw refuse("threads.roles", roles, "at most " + MAX_THREADS + " threads together, and as many as " +
                "transload.threads.count where that is set");
        }

        return new ThreadConfig(sum, idle, cores(), roles);
    }

    /** A number for all nodes, or one for each; then {@code nodes} may be left out. */
    private WorldConfig world()
    {
        final int nodes = number("nodes", 1, MAX_NODES);
        final Object value = value("ranks-per-node");
        if (!(value instanceof List) && !String.valueOf(value).contains(","))
        {
            return WorldConfig.of(nodes, number("ranks-per-node", 1, MAX_RANKS_PER_NODE, RANKS_OF_NODES));
        }

        try
        {
            final List<Integer> ranks = numbers(value);
            if (!ranks.isEmpty() && (1 == nodes || nodes == ranks.size()) && ranks.size() <= MAX_NODES &&
                ranks.stream().allMatch((count) -> count > 0 && count <= MAX_RANKS_PER_NODE))
            {
                return new WorldConfig(ranks);
            }
        }
        catch (final NumberFormatException ex)
        {
            throw refuse("ranks-per-node", value, RANKS_OF_NODES);
        }

        throw refuse("ranks-per-node", value, RANKS_OF_NODES + (1 == nodes ? "" : ", as many as transload.nodes = " +
            nodes));
    }

    /** A list of numbers; or, as options and variables have it, text with commas. */
    private static List<Integer> numbers(final Object value)
    {
        final List<?> entries = value instanceof final List<?> list ? list :
            List.of(String.valueOf(value).split(",", -1));
        return entries.stream().map(String::valueOf).map(String::strip)
            .filter((text) -> !text.isEmpty()).map(Integer::valueOf).toList();
    }

    private List<Integer> roles()
    {
        final Object value = value("threads.roles");
        try
        {
            final List<Integer> roles = numbers(value);
            if (roles.isEmpty() ||
                ThreadConfig.KINDS_OF_ROLES == roles.size() && roles.stream().allMatch((count) -> count > 0))
            {
                return roles;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw refuse("threads.roles", value, THREADS_OF_ROLES);
        }

        throw refuse("threads.roles", value, THREADS_OF_ROLES);
    }

    /** A list; or, as options and variables have it, text with commas. */
    private CoreChoice cores()
    {
        final Object value = value("threads.cores");
        if (AUTO.equals(value))
        {
            return CoreChoice.AUTO;
        }

        final List<CoreSet> entries = new ArrayList<>();
        try
        {
            for (final Object entry : value instanceof final List<?> list ? list :
                List.of(String.valueOf(value).split(",", -1)))
            {
                final CoreSet cores = CoreSet.parse(String.valueOf(entry));
                if (!cores.isEmpty())
                {
                    entries.add(cores);
                }
            }
        }
        catch (final IllegalArgumentException ex)
        {
            throw refuse("threads.cores", value, AUTO_OR + "a list of cores and ranges, e.g. [\"0-3\", 6]");
        }

        return entries.isEmpty() ? CoreChoice.NONE : new CoreChoice(false, entries);
    }

    private PayloadConfig payload()
    {
        final boolean isAuto = isAuto("payload.kind");
        final int device = numberOrAuto("payload.device", 0, 1 << 16, PayloadConfig.AUTO);
        final StagingMode staging = choice("payload.staging", StagingMode.values());
        final String name = String.valueOf(value("payload.kind"));
        try
        {
            return new PayloadConfig(isAuto ? MemoryKind.HOST : new MemoryKind(name), isAuto, device, staging);
        }
        catch (final IllegalArgumentException ex)
        {
            throw refuse("payload.kind", name, AUTO_OR + "a kind of memory in upper case, e.g. HOST or CUDA");
        }
    }

    private Duration liveness(final Duration callTimeout)
    {
        final Duration most = callTimeout.dividedBy(DEADLINE_PER_LIVENESS);
        final Duration liveness = durationOrAuto("timeouts.liveness", most);
        if (liveness.compareTo(most) > 0)
        {
            throw refuse("timeouts.liveness", config.getString("timeouts.liveness"),
                "at most a quarter of transload.timeouts.call, " + most.toMillis() + " ms");
        }

        return liveness;
    }

    private Map<String, Map<String, String>> transportOptions()
    {
        final Map<String, Map<String, String>> options = new HashMap<>();
        config.root().forEach((key, value) ->
        {
            if (known.isOfTransport(key))
            {
                options.put(key, flatten((ConfigObject)value));
            }
        });

        return options;
    }

    private Map<String, String> kernelOptions()
    {
        return flatten(config.getObject("kernels"));
    }

    static Map<String, String> flatten(final ConfigObject section)
    {
        final Map<String, String> texts = new HashMap<>();
        section.toConfig().entrySet().forEach(
            (entry) -> texts.put(entry.getKey(), String.valueOf(entry.getValue().unwrapped())));

        return texts;
    }

    private boolean isAuto(final String key)
    {
        return AUTO.equals(value(key));
    }

    private int number(final String key, final int min, final int max)
    {
        return number(key, min, max, whole(min, max));
    }

    private int numberOrAuto(final String key, final int min, final int max, final int auto)
    {
        return isAuto(key) ? auto : number(key, min, max, AUTO_OR + whole(min, max));
    }

    private static String whole(final int min, final int max)
    {
        return "a whole number in [" + min + ", " + max + "]";
    }

    private int number(final String key, final int min, final int max, final String allowed)
    {
        final Object value = value(key);
        try
        {
            final int number = config.getInt(key);
            if (config.getDouble(key) == number && min <= number && number <= max)
            {
                return number;
            }
        }
        catch (final ConfigException ex)
        {
            throw refuse(key, value, allowed);
        }

        throw refuse(key, value, allowed);
    }

    private Object value(final String key)
    {
        try
        {
            return config.getValue(key).unwrapped();
        }
        catch (final ConfigException ex)
        {
            throw refuse(key, null, "set, or left out for its default");
        }
    }

    /** A name, or several by preference: a list, or, as options and variables have it, text with commas. */
    private String transport(final String key)
    {
        final Object value = value(key);
        final List<String> names = new ArrayList<>();
        for (final Object entry : value instanceof final List<?> list ? list :
            value instanceof final String text ? List.of(text.split(",", -1)) : List.of())
        {
            final String name = entry instanceof final String text ? text.strip() : "";
            if (name.isEmpty() || name.contains(",") || names.contains(name))
            {
                throw refuse(key, value, TRANSPORTS);
            }

            names.add(name);
        }

        if (names.isEmpty() || names.size() > 1 && names.contains(StageConfig.AUTO))
        {
            throw refuse(key, value, TRANSPORTS);
        }

        return String.join(",", names);
    }

    private long bytesOrAuto(final String key)
    {
        return isAuto(key) ? SizeConfig.AUTO : bytes(key, AUTO_OR + BYTES);
    }

    private long bytes(final String key)
    {
        return bytes(key, BYTES);
    }

    private long bytes(final String key, final String allowed)
    {
        final Object value = value(key);
        try
        {
            final long bytes = config.getBytes(key);
            if (bytes > 0)
            {
                return bytes;
            }
        }
        catch (final ConfigException ex)
        {
            throw refuse(key, value, allowed);
        }

        throw refuse(key, value, allowed);
    }

    private Duration durationOrAuto(final String key, final Duration auto)
    {
        return isAuto(key) ? auto : duration(key, AUTO_OR + DurationText.ALLOWED);
    }

    private Duration duration(final String key)
    {
        return duration(key, DurationText.ALLOWED);
    }

    private Duration duration(final String key, final String allowed)
    {
        final Object value = value(key);
        return DurationText.parse(String.valueOf(value)).filter((duration) -> duration.toMillis() > 0)
            .orElseThrow(() -> refuse(key, value, allowed));
    }

    private String text(final String key, final String... allowed)
    {
        final String value = String.valueOf(value(key));
        for (final String candidate : allowed)
        {
            if (candidate.equals(value))
            {
                return value;
            }
        }

        throw refuse(key, value, String.join(", ", allowed).replaceFirst(", (?=[^,]*$)", " or "));
    }

    @SafeVarargs
    private <E extends Enum<E>> E choice(final String key, final E... allowed)
    {
        final String[] names = new String[allowed.length];
        for (int i = 0; i < allowed.length; i++)
        {
            names[i] = allowed[i].name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        final String value = text(key, names);
        int found = 0;
        while (!names[found].equals(value))
        {
            found++;
        }

        return allowed[found];
    }

    static ConfigurationException refuse(final String key, final Object value, final String allowed)
    {
        return new ConfigurationException(ROOT + "." + key + " = " + value + " is not allowed: must be " + allowed);
    }
}

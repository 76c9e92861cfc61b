/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import dev.transload.spi.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Settings in which all ranks must agree, as lines "key = value" without the prefix of all keys. What follows a tab is
 * no part of the value, and for messages only.
 */
public final class AgreedSettings
{
    private static final String NOTE = "\t";
    private static final String ABSENT = "absent ranks = ";

    private AgreedSettings()
    {
    }

    /** Compared before transports open: ranks that choose among several may have chosen different ones. */
    static List<String> beforeOpening(final EngineConfig config)
    {
        return List.of("nodes = " + config.nodes(), "ranks-per-node = " + config.world().ranksPerNode(),
            "scale-out.transport = " + choice(config.scaleOut()), "scale-up.transport = " + choice(config.scaleUp()),
            "payload.staging = " + config.payload().staging().name().toLowerCase(Locale.ROOT),
            ABSENT + config.world().absent());
    }

    /** Absent ranks are no key: a program gives them. */
    private static String named(final String line)
    {
        return (line.startsWith(ABSENT) ? "" : "transload.") + line.replace(NOTE, " ");
    }

    private static String choice(final StageConfig stage)
    {
        return stage.passedOver().isEmpty() ? stage.transport() : stage.transport() + NOTE + "(" +
            stage.passedOver().stream().map(StageConfig.PassedOver::toString).collect(Collectors.joining("; "))
            .replaceAll("\\s+", " ") + ")";
    }

    /**
     * Refuse the first difference.
     *
     * @param theirs lines of another one.
     * @param cause  clause for the message, may be empty.
     * @throws ConfigurationException naming both ranks, the key, both values, and what is noted to them.
     */
    static void compare(
        final List<String> own, final List<String> theirs, final int rank, final int other, final String cause)
    {
        for (int i = 0; i < own.size(); i++)
        {
            final String their = i < theirs.size() ? theirs.get(i) : "nothing";
            if (!value(own.get(i)).equals(value(their)))
            {
                throw new ConfigurationException("rank " + rank + " has " + named(own.get(i)) + ", rank " + other +
                    " has " + named(their) + ": must be equal on all ranks" + cause);
            }
        }
    }

    private static String value(final String line)
    {
        return line.split(NOTE)[0];
    }

    /** Of both modes. */
    public static List<String> common(final EngineConfig config)
    {
        final List<String> lines = new ArrayList<>();
        lines.add("max-hidden = " + config.maxHidden());
        lines.add("max-topk = " + config.maxTopk());
        lines.add("max-experts = " + config.maxExperts());
        return lines;
    }

    /**
     * Of the normal mode.
     *
     * @param isStaged whether rows that change nodes are staged.
     * @return new list of lines.
     */
    public static List<String> normal(final EngineConfig config, final boolean isStaged)
    {
        final List<String> lines = common(config);
        lines.add("channels = " + config.channels());
        lines.add("combine.wire = " + config.combineWire());
        lines.add("on-peer-failure = " + config.onPeerFailure().name().toLowerCase(Locale.ROOT));
        lines.add("payload.kind = " + config.payloadKind() + (isStaged ? " (staged through host memory)" : ""));
        stage("scale-out", config.scaleOut(), lines);
        stage("scale-up", config.scaleUp(), lines);
        return lines;
    }

    private static void stage(final String section, final StageConfig stage, final List<String> lines)
    {
        lines.add(section + ".chunk = " + stage.chunk());
        lines.add(section + ".ring = " + stage.ring());
        lines.add(section + ".credit-batch = " + stage.creditBatch());
        lines.add(section + ".credit = " + stage.credit());
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.connect;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.StageConfig;
import java.util.ArrayList;
import java.util.List;

/** Settings in which all ranks must agree, as lines "key = value" without the prefix of all keys. */
public final class AgreedSettings
{
    private AgreedSettings()
    {
    }

    /** Of both modes. */
    public static List<String> common(final EngineConfig config)
    {
        final List<String> lines = new ArrayList<>();
        lines.add("nodes = " + config.nodes());
        lines.add("ranks-per-node = " + config.world().ranksPerNode());
        lines.add("max-hidden = " + config.maxHidden());
        lines.add("max-topk = " + config.maxTopk());
        lines.add("max-experts = " + config.maxExperts());
        lines.add("scale-out.transport = " + config.scaleOut().transport());
        lines.add("scale-up.transport = " + config.scaleUp().transport());
        return lines;
    }

    /**
     * Of the normal mode.
     *
     * @param config   settings, settled.
     * @param isStaged whether rows that change nodes are staged.
     * @return new list of lines.
     */
    public static List<String> normal(final EngineConfig config, final boolean isStaged)
    {
        final List<String> lines = common(config);
        lines.add("channels = " + config.channels());
        lines.add("combine.wire = " + config.combineWire());
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

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.plan;

import dev.transload.cli.run.RoutingOptions;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of {@code plan}, as given. */
final class PlanOptions extends RoutingOptions
{
    @Option(names = "--channels", paramLabel = "C", description = "number of channels of the pipeline " +
        "(default 2)")
    private String channels;

    @Option(names = "--link", paramLabel = "RATE",
        description = "rate of a rank's link to other nodes in each direction, such as 50GB/s or 400Gbit/s; used for " +
        "lower bounds of time")
    private String link;

    @Option(names = "--scale-up", paramLabel = "RATE",
        description = "rate of a rank's link within its node in each direction, such as 400GB/s; used for lower " +
        "bounds of time")
    private String scaleUp;

    @Option(names = "--staged", description = "assume that rows to other nodes pass through host memory")
    private boolean isStaged;

    boolean isStaged()
    {
        return isStaged;
    }

    /** Bytes a second between nodes, 0 where nothing was said. */
    double linkRate()
    {
        return null == link ? 0 : Bandwidth.parse("--link", link);
    }

    /** Bytes a second within a node, 0 where nothing was said. */
    double scaleUpRate()
    {
        return null == scaleUp ? 0 : Bandwidth.parse("--scale-up", scaleUp);
    }

    @Override
    public Map<String, String> keys()
    {
        final Map<String, String> keys = super.keys();
        put(keys, "transload.channels", channels);
        return keys;
    }
}

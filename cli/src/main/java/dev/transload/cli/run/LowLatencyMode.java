/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.PeerLoss;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.lowlatency.CallInput;
import dev.transload.cli.lowlatency.LowLatencyRank;
import dev.transload.cli.lowlatency.LowLatencyTask;
import dev.transload.cli.lowlatency.MemoryNeed;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.report.RunHeader.LowLatencyHeader;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.verify.ExpertAnswers;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.recording.Recording;
import dev.transload.spi.TransportRegistry;

/** The low-latency mode. */
final class LowLatencyMode implements RunMode
{
    private final LowLatencyTask task;
    private final CallInput input;
    private final Settings settings;

    private LowLatencyMode(final LowLatencyTask task, final CallInput input, final Settings settings)
    {
        this.task = task;
        this.input = input;
        this.settings = settings;
    }

    /**
     * Load and check.
     *
     * @param options   as given.
     * @param given     settings of the world.
     * @param hostRanks ranks that share this machine.
     * @param isLocal   whether all ranks are this command's.
     */
    static LowLatencyMode prepare(
        final RunOptions options, final Settings given, final int hostRanks, final boolean isLocal)
    {
        final LowLatencyTask task = LowLatencyTask.of(
            options.input(), options.iterations(), options.warmup(), options.answers(), options.isVerifyingAll(),
            options.injection(), options.output());
        final CallInput input = task.load(LowLatencyConfig.from(given.config()));
        try
        {
            task.check(input);
            final Settings settings = WorldSettings.fit(given, input.input(), isLocal);
            if (isOfHosts(settings))
            {
                MemoryNeed.of(input, ExpertAnswers.DISTINCT.equals(options.answers())).check(hostRanks);
            }

            return new LowLatencyMode(task, input, settings);
        }
        catch (final RuntimeException ex)
        {
            input.close();
            throw ex;
        }
    }

    /** How much memory a device has, only it can tell, when it is asked for it. */
    private static boolean isOfHosts(final Settings settings)
    {
        final String transport =
            settings.engine().resolve(TransportRegistry.discover()).scaleUp().transport();
        return KernelRegistry.discover().kindOf(transport).isHost();
    }

    @Override
    public Settings settings()
    {
        return settings;
    }

    @Override
    public RankTask rankTask()
    {
        return new LowLatencyRank();
    }

    @Override
    public String taskName()
    {
        return LowLatencyRank.NAME;
    }

    @Override
    public JsonNode task()
    {
        return new ObjectMapper().valueToTree(task);
    }

    @Override
    public PeerLoss loss()
    {
        return PeerLoss.MASK;
    }

    @Override
    public Recording recording()
    {
        return Recorder.ofLowLatency(LowLatencyConfig.from(settings.config()), input, header());
    }

    @Override
    public RunHeader header()
    {
        return RunHeader.of(
            settings.engine(), input.input(), input.isFp8(), task.iterations(), task.warmup(), task.input().seed(),
            task.answers()).with(new LowLatencyHeader(input.maxTokens(), input.calls()));
    }

    @Override
    public void close()
    {
        input.close();
    }
}

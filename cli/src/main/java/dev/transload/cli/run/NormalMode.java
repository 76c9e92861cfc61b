/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputLoader;
import dev.transload.cli.input.RunInput;
import dev.transload.cli.input.TokenName;
import dev.transload.cli.launch.PeerLoss;
import dev.transload.cli.launch.RankTask;
import dev.transload.cli.rank.RunRank;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.report.RunHeader;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.verify.Injection;
import dev.transload.engine.recording.Recording;

/** The two-stage pipeline. */
final class NormalMode implements RunMode
{
    private final RunOptions options;
    private final RunInput input;
    private final Settings settings;
    private final TokenName explained;

    private NormalMode(
        final RunOptions options, final RunInput input, final Settings settings, final TokenName explained)
    {
        this.options = options;
        this.input = input;
        this.settings = settings;
        this.explained = explained;
    }

    static NormalMode prepare(final RunOptions options, final Settings given, final boolean isLocal)
    {
        final RunInput input = InputLoader.load(options.input(), given.engine().world());
        try
        {
            if (null != options.injection())
            {
                Injection.named(options.injection());
                Injection.target(input);
            }

            return new NormalMode(options, input, WorldSettings.fit(given, input, isLocal),
                null == options.explained() ? null : TokenName.of(options.explained(), input));
        }
        catch (final RuntimeException ex)
        {
            input.close();
            throw ex;
        }
    }

    @Override
    public Settings settings()
    {
        return settings;
    }

    @Override
    public RankTask rankTask()
    {
        return new RunRank();
    }

    @Override
    public String taskName()
    {
        return RunRank.NAME;
    }

    @Override
    public JsonNode task()
    {
        return new ObjectMapper().valueToTree(new RunTask(
            options.input(), options.iterations(), options.warmup(), options.isCached(), options.isTopkOnDevice(),
            options.answers(), options.isVerifyingAll(), options.injection(), options.output(),
            explained));
    }

    @Override
    public PeerLoss loss()
    {
        return options.restarts() > 0 ? PeerLoss.RESTART : PeerLoss.END;
    }

    @Override
    public Recording recording()
    {
        return Recorder.ofNormal(
            settings.engine(), input, header(), options.isCached(), options.isTopkOnDevice());
    }

    @Override
    public RunHeader header()
    {
        return RunHeader.of(settings.engine(), input, input.isFp8(), options.iterations(), options.warmup(),
            options.input().seed(), options.answers());
    }

    @Override
    public void close()
    {
        input.close();
    }
}

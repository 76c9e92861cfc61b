/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import com.typesafe.config.Config;
import dev.transload.engine.CombineRequest;
import dev.transload.engine.CombineResult;
import dev.transload.engine.DataType;
import dev.transload.engine.DispatchRequest;
import dev.transload.engine.DispatchResult;
import dev.transload.engine.Engine;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.Tensor;
import dev.transload.engine.TransportContext;
import dev.transload.engine.lowlatency.LowLatencyCombineRequest;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.lowlatency.LowLatencyDispatchRequest;
import dev.transload.engine.lowlatency.LowLatencyDispatchResult;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import dev.transload.engine.lowlatency.LowLatencyOutput;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.nio.ByteBuffer;

/** One rank that uses both modes, one after the other, over the same transports. */
public final class BothModes
{
    private static final int TOKENS = 16;
    private static final int HIDDEN = 1024;
    private static final int EXPERTS = 8;
    private static final int BATCH_BYTES = TOKENS * HIDDEN * 2;

    private final Engine prefill;
    private final LowLatencyEngine decode;
    private final Tensor x;
    private final Tensor idx;
    private final Tensor weights;
    private final Tensor sums;
    private final LowLatencyOutput output;

    private BothModes(final Engine prefill, final LowLatencyEngine decode)
    {
        this.prefill = prefill;
        this.decode = decode;
        x = new Tensor(prefill.allocatePayload(BATCH_BYTES), 0, DataType.BF16, TOKENS, HIDDEN);
        idx = new Tensor(prefill.allocateHost(TOKENS * 8), 0, DataType.I64, TOKENS, 1);
        weights = new Tensor(prefill.allocateHost(TOKENS * 4), 0, DataType.F32, TOKENS, 1);
        sums = new Tensor(decode.allocatePayload(BATCH_BYTES), 0, DataType.BF16, TOKENS, HIDDEN);
        output = decode.allocateOutput(EXPERTS, HIDDEN, DataType.BF16, null);
        for (int token = 0; token < TOKENS; token++)
        {
            idx.view().putLong(token * 8, (prefill.world().rank() + token) % EXPERTS);
            weights.view().putFloat(token * 4, 1f);
        }
    }

    /** Sends batches to their experts and back by each mode; an expert answers with the row that it got. */
    public static void run(
        final Config config, final Rendezvous rendezvous, final TransportRegistry transports, final ByteBuffer batches,
        final ByteBuffer prefilled, final ByteBuffer decoded)
    {
        // All ranks open their engines in the same order.
        try (TransportContext context = TransportContext.open(rendezvous, transports);
            Engine prefill = Engine.open(EngineConfig.from(config), context);
            LowLatencyEngine decode = LowLatencyEngine.open(LowLatencyConfig.from(config), context))
        {
            final BothModes modes = new BothModes(prefill, decode);
            for (int at = 0; at < batches.remaining(); at += BATCH_BYTES)
            {
                modes.x.memory().copyFromHost(0, batches.slice(at, BATCH_BYTES));
                modes.prefill().memory().copyToHost(0, prefilled.slice(at, BATCH_BYTES));
                modes.decode().memory().copyToHost(0, decoded.slice(at, BATCH_BYTES));
            }
        }
    }

    private Tensor prefill()
    {
        final DispatchResult sent = prefill.dispatch(DispatchRequest.of(x).topk(idx, null, EXPERTS)).await();
        final CombineResult home = prefill.combine(CombineRequest.of(sent.handle(), sent.output().x())).await();
        sent.handle().close();
        return home.x();
    }

    /** With tensors of the other engine: both name the same transports. */
    private Tensor decode()
    {
        final LowLatencyDispatchResult received =
            decode.dispatch(LowLatencyDispatchRequest.of(x, idx, EXPERTS, output)).receive();
        decode.combine(LowLatencyCombineRequest.of(received, output.x(), weights, sums)).receive();
        return sums;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.config;

import dev.transload.engine.EngineConfig;
import dev.transload.engine.KernelRegistry;
import dev.transload.engine.PayloadConfig;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.MemoryKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where token rows live, where nobody said it. */
public final class PayloadRule
{
    private static final Logger LOGGER = LoggerFactory.getLogger(PayloadRule.class);

    private PayloadRule()
    {
    }

    /**
     * Settle kind and device of the payload.
     *
     * @param config     with the names of both transports settled.
     * @param rendezvous knows which ranks share a host.
     * @return config whose payload is settled.
     * @throws dev.transload.spi.TransportUnavailableException if devices have to be counted, and cannot be.
     */
    public static EngineConfig settle(
        final EngineConfig config, final KernelRegistry kernels, final Rendezvous rendezvous)
    {
        final PayloadConfig payload = config.payload();
        final MemoryKind kind = payload.isAuto() ? kernels.kindOf(config.scaleUp().transport()) : payload.kind();
        if (kind.isHost())
        {
            return config.with(payload.at(kind, 0));
        }

        final EngineConfig settled = config.with(payload.at(kind, payload.device()));
        if (PayloadConfig.AUTO != payload.device())
        {
            return settled;
        }

        final String bound =
            config.optionsOf(config.scaleUp().transport()).getOrDefault(PayloadConfig.DEVICE_OPTION, "auto");
        return settled.with(payload.at(kind, bound.matches("\\d{1,5}") ? Integer.parseInt(bound) :
            dealt(settled, kernels, rendezvous)));
    }

    private static int dealt(final EngineConfig config, final KernelRegistry kernels, final Rendezvous rendezvous)
    {
        final int devices = kernels.devices(config);
        final String host = rendezvous.member(rendezvous.rank()).host();
        int index = 0;
        for (int rank = 0; rank < rendezvous.rank(); rank++)
        {
            index += host.equals(rendezvous.member(rank).host()) ? 1 : 0;
        }

        if (index >= devices)
        {
            LOGGER.info("rank {} shares {} device {} with a rank of its host, which has more ranks than the {} it sees",
                rendezvous.rank(), config.payloadKind(), index % devices, devices);
        }

        return index % devices;
    }
}

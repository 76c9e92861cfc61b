/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.ServiceProviders;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.Leftovers;
import dev.transload.transport.hccs.internal.kernels.AscendRowKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Provider of row kernels for Ascend memory. It accepts the options of the transport {@code hccs}. Computations that do
 * not run on the NPU use the row kernels for host memory, which the service loader finds.
 */
public final class AscendRowKernelsProvider implements RowKernelsProvider
{
    @Override
    public MemoryKind kind()
    {
        return MemoryKind.ASCEND;
    }

    @Override
    public String section()
    {
        return HccsOptions.TRANSPORT;
    }

    /** {@inheritDoc} Only the first device is checked; an invalid ordinal is refused when the device is opened. */
    @Override
    public String unavailableBecause(final Map<String, String> options)
    {
        try
        {
            Devices.select(read(options), 0);
            return host().unavailableBecause(Map.of());
        }
        catch (final TransportException ex)
        {
            return ex.getMessage();
        }
    }

    @Override
    public int devices(final Map<String, String> options)
    {
        return Devices.select(read(options), 0).library().deviceCount();
    }

    @Override
    public RowKernels open(final int device, final Map<String, String> options)
    {
        return open(device, 1, options);
    }

    @Override
    public RowKernels open(final int device, final int sharers, final Map<String, String> options)
    {
        final HccsOptions known = read(options);
        final AclDevice npu = Devices.at(known, device);
        final RowKernels host = host().open(0, Map.of());
        RowKernels kernels = null;
        try
        {
            kernels = new AscendRowKernels(npu, host, StrideProbe.passes(npu, new Leftovers()),
                known.kernelBlockBytes(sharers), known.isDeviceSumming(), known.timeoutNs());
            return kernels;
        }
        finally
        {
            if (null == kernels)
            {
                host.close();
            }
        }
    }

    private static HccsOptions read(final Map<String, String> options)
    {
        return HccsOptions.of(TransportConfig.builder().options(options).build());
    }

    private static RowKernelsProvider host()
    {
        final List<RowKernelsProvider> found = new ArrayList<>();
        final List<String> refused = ServiceProviders.visit(RowKernelsProvider.class, (provider) ->
        {
            if (provider.kind().isHost())
            {
                found.add(provider);
            }
        });
        if (found.isEmpty())
        {
            throw new TransportUnavailableException("no row kernels of HOST memory are on the class path, which do " +
                "what NPUs do not compute: add transload-row-kernels" + refused.stream()
                .map((reason) -> "; a provider is refused: " + reason).collect(Collectors.joining()), null);
        }

        return found.get(0);
    }
}

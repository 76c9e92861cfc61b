/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.spi.TransportConfig;
import java.util.Map;
import java.util.Set;
import dev.transload.spi.MemoryKind;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory of devices is not at hand here; that UCX puts zeros everywhere can be seen on host memory. */
@NeedsUcx
class ZeroFillTest
{
    @ParameterizedTest
    @ValueSource(strings = {"posix,self", "tcp"})
    void shouldPutZerosEverywhere(final String tls)
    {
        final TransportConfig config = TransportConfig.builder().options(Map.of("tls", tls)).build();
        try (UcxTransport transport = UcxTransport.open(config, UcxOptions.of(config), null))
        {
            final int length = (1 << 20) + 4097;
            final UcxMemory memory = transport.context().allocateUnset(length, UcxMemory.HOST);
            UnsafeApi.setMemory(memory.address(), length, (byte)-1);
            new ZeroFill(transport.context(), transport.endpoints(), transport.identity(), transport.target())
                .fill(memory, length);
            for (int i = 0; i < length; i++)
            {
                assertEquals(0, UnsafeApi.getByte(memory.address() + i));
            }

            memory.free();
        }
    }

    @Test
    void shouldNameTheKindsThatUcxReports()
    {
        assertEquals(Set.of(MemoryKind.HOST), DeviceKinds.of(1));
        assertEquals(Set.of(MemoryKind.HOST, MemoryKind.CUDA), DeviceKinds.of(0b111));
        assertEquals(Set.of(MemoryKind.HOST, new MemoryKind("ROCM")), DeviceKinds.of(0b1001));
        assertEquals(1, DeviceKinds.type(MemoryKind.CUDA));
    }
}

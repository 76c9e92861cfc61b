/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.TransportConformance;

/** All that is not too long goes by kernels that stay. */
class ProxyConformanceTest extends TransportConformance
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new NvlinkFixture(Emulator.options("proxy", "on"));
    }
}

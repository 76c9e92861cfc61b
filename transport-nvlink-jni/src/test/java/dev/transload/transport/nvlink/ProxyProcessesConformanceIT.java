/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.tck.ConformanceFixture;

/** As between processes without, with kernels that stay. */
class ProxyProcessesConformanceIT extends ProcessesConformanceIT
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new Fixture(Emulator.options("proxy", "on"));
    }
}

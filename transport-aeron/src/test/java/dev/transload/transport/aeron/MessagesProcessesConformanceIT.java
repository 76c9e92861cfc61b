/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.gate.Thorough;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.processes.ProcessesFixture;

/** The same with a process for each rank. */
@Thorough("its base has the kit by messages, MappedProcessesConformanceIT between processes")
class MessagesProcessesConformanceIT extends IpcMessagesConformanceTest
{
    @Override
    public ConformanceFixture fixture(final int worldSize)
    {
        return new ProcessesFixture(AeronTransportProvider.class, options());
    }
}

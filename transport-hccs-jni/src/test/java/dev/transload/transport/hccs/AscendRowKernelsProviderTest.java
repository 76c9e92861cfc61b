/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.transload.gate.BrokenProvider;
import dev.transload.kernels.RowKernelsProvider;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What row kernels of NPUs need. */
class AscendRowKernelsProviderTest
{
    @TempDir
    private Path folder;

    @Test
    void shouldFindKernelsOfTheHostBehindAProviderThatIsBroken() throws IOException
    {
        assertNull(BrokenProvider.ahead(folder, RowKernelsProvider.class,
            () -> new AscendRowKernelsProvider().unavailableBecause(Emulator.options())));
    }
}

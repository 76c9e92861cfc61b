/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.djl;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import org.junit.jupiter.api.Assumptions;

/** DJL's PyTorch of the test class path. */
final class Torch
{
    private Torch()
    {
    }

    /** Its native library is for one kind of host. */
    static void assumeThere()
    {
        Assumptions.assumeTrue("Linux".equals(System.getProperty("os.name")) &&
            "amd64".equals(System.getProperty("os.arch")), "the tests have PyTorch for Linux on x86-64 only");
    }

    static NDManager manager()
    {
        return Engine.getEngine("PyTorch").newBaseManager(Device.cpu());
    }
}

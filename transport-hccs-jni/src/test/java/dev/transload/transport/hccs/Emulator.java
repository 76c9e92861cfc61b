/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The runtime's emulator that the build made for these tests. */
public final class Emulator
{
    /** What the names of its settings begin with. */
    public static final String SETTINGS = "TRANSLOAD_ACL_EMULATOR_";

    /** Devices that it shows unless its environment says otherwise. */
    static final int DEVICES = 2;

    static final Path LIBRARY = Path.of("target", "emulator", "libascendcl_emulator.so").toAbsolutePath();

    private Emulator()
    {
    }

    /** Options that make a transport use it. */
    static Map<String, String> options()
    {
        return Map.of("library", library());
    }

    /** Its path. */
    public static String library()
    {
        Assumptions.assumeTrue(Files.exists(LIBRARY), "the emulator was not built: there is no C compiler");
        return LIBRARY.toString();
    }
}

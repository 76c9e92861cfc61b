/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

/** Delays of the emulator that this process has opened: {@code src/emulator/test/jni} has the native part. */
final class Seeds
{
    static
    {
        System.load(Emulator.LIBRARY.resolveSibling("rules").resolve("libseeds.so").toString());
    }

    private Seeds()
    {
    }

    /** Streams that are opened from here on have the delays of this seed. */
    static void use(final int seed)
    {
        if (!set(Emulator.library(), seed))
        {
            throw new AssertionError("the emulator is not open in this process, or knows no seeds");
        }
    }

    private static native boolean set(String library, int seed);
}

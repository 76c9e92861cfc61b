/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import com.sun.jna.Function;
import com.sun.jna.Structure;

/** What native code of this process has taken from the C library and not given back. */
final class NativeHeap
{
    private NativeHeap()
    {
    }

    static long bytesInUse()
    {
        final Figures figures = (Figures)Function.getFunction("c", "mallinfo2").invoke(Figures.class, new Object[0]);
        return figures.uordblks + figures.hblkhd;
    }

    /** {@code struct mallinfo2} of glibc 2.33 and newer; names as in {@code malloc.h}. */
    @Structure.FieldOrder({
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost" })
    public static final class Figures extends Structure implements Structure.ByValue
    {
        public long arena;
        public long ordblks;
        public long smblks;
        public long hblks;
        public long hblkhd;
        public long usmblks;
        public long fsmblks;
        public long uordblks;
        public long fordblks;
        public long keepcost;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Versions that must fit each other: UCX of the host, and jucx of the class path, whose JNI library was built for a
 * range of UCX versions.
 *
 * @param major   of UCX.
 * @param minor   of UCX.
 * @param release of UCX.
 * @param jucx    version of jucx, as its jar says.
 * @param calls   how calls are made besides jucx: {@link UcpCalls#name()}.
 */
public record UcxVersions(int major, int minor, int release, String jucx, String calls)
{
    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(\\D.*)?");
    private static final int OLDEST = version(1, 13);
    private static final int CHANGE = version(1, 18);
    private static final int NO_WATCHED_ADDS = version(1, 16);
    private static final int BYTE = 0xff;

    /** With which the conformance kit, runs and kills passed over shared memory and over TCP: docs/ucx.md. */
    private static final List<String> TESTED = List.of("1.13.1", "1.15.0", "1.16.0", "1.18.1", "1.20.1", "1.22.0");

    static UcxVersions of(final int packed, final String jucx, final String calls)
    {
        return new UcxVersions(packed >>> 16, packed >>> 8 & BYTE, packed & BYTE, jucx, calls);
    }

    static int pack(final int major, final int minor, final int release)
    {
        return major << 16 | (minor & BYTE) << 8 | release & BYTE;
    }

    /**
     * What is wrong with the pair.
     *
     * @return null if nothing, else one sentence.
     */
    public String problem()
    {
        final int ucx = version(major, minor);
        if (ucx < OLDEST)
        {
            return "UCX " + ucx() + " is too old: 1.13 or newer is needed";
        }

        final Matcher numbers = NUMBERS.matcher(jucx);
        if (!numbers.matches())
        {
            return "jucx has no version that can be compared with UCX " + ucx() + ": " + jucx;
        }

        final boolean isNewJucx =
            version(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))) >= CHANGE;
        if (ucx >= CHANGE && !isNewJucx)
        {
            return "jucx " + jucx + " is for UCX 1.13 to 1.17, this host has UCX " + ucx() +
                ": build with -Pucx-1.18 or put jucx 1.18 or newer on the class path";
        }

        if (ucx < CHANGE && isNewJucx)
        {
            return "jucx " + jucx + " is for UCX 1.18 and newer, this host has UCX " + ucx() +
                ": build without -Pucx-1.18 or put jucx 1.15.0 on the class path";
        }

        return null;
    }

    /**
     * Whether UCX adds over an endpoint whose connection it watches where the hardware has no adds, as over TCP: newer
     * protocols of UCX cancel such an add.
     *
     * @return true before 1.16.
     */
    public boolean hasWatchedAdds()
    {
        return version(major, minor) < NO_WATCHED_ADDS;
    }

    /**
     * For reports.
     *
     * @return such as {@code UCX 1.13.1 (jucx 1.15.0, JNI)}, and whether this project has run with that UCX.
     */
    @Override
    public String toString()
    {
        return "UCX " + ucx() + " (jucx " + jucx + ", " + calls + ')' + (TESTED.contains(ucx()) ? "" :
            ", a version that has not been tested; tested: " + String.join(", ", TESTED));
    }

    private String ucx()
    {
        return major + "." + minor + '.' + release;
    }

    private static int version(final int major, final int minor)
    {
        return major << 16 | minor;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether vectors work in this JVM: found out at the first question, said once, true for the life of the JVM. */
final class VectorSupport
{
    private static final Logger LOG = LoggerFactory.getLogger(VectorSupport.class);
    /** Without which there are no vectors. */
    static final String MODULE = "jdk.incubator.vector";

    private VectorSupport()
    {
    }

    /**
     * Whether vectors may be tried later. Costs nothing: the incubator's classes are not even loaded.
     *
     * @return null if so, else one clause.
     */
    static String hopelessBecause()
    {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty())
        {
            return "the JVM was started without --add-modules " + MODULE;
        }

        return ByteOrder.LITTLE_ENDIAN == ByteOrder.nativeOrder() ?
            null : "the vector kernels are for little-endian processors";
    }

    /**
     * Whether a form may be warmed up, and trusted if it passes its own check. Loads no class of the incubator.
     *
     * @return null if so, else one clause.
     */
    static String untrustedBecause()
    {
        final String hopeless = hopelessBecause();
        if (null != hopeless)
        {
            return hopeless;
        }

        return AllocationWatch.isPossible() ?
            null : "this JVM does not tell what a thread allocates, so whether vectors are boxed stays unknown";
    }

    /**
     * Why there is no {@link VectorArithmetic} here; the first call compares bits, which takes tenths of a second.
     *
     * @return null where it works, else one clause.
     */
    static String unavailableBecause()
    {
        return Verdict.REASON;
    }

    private static String check()
    {
        final String untrusted = untrustedBecause();
        if (null != untrusted)
        {
            return untrusted;
        }

        try
        {
            return new VectorCheck(new VectorArithmetic()).failure();
        }
        catch (final LinkageError | RuntimeException ex)
        {
            LOG.debug("vector kernels failed their check", ex);
            return "the JVM's vectors failed with " + ex;
        }
    }

    /** Initialised once, by the first thread that asks. */
    private static final class Verdict
    {
        static final String REASON = check();

        static
        {
            if (null == REASON)
            {
                LOG.debug("host row kernels can use the Vector API");
            }
            else
            {
                LOG.info("host row kernels are scalar: {}", REASON);
            }
        }
    }
}

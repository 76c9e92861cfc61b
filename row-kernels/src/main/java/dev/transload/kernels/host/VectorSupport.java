/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether vectors work in this JVM: found out at the first question, said once, true for the life of the JVM. */
final class VectorSupport
{
    private static final Logger LOG = LoggerFactory.getLogger(VectorSupport.class);
    private static final String MODULE = "jdk.incubator.vector";

    private VectorSupport()
    {
    }

    /**
     * Why there is no {@link VectorArithmetic} here.
     *
     * @return null where it works, else one clause.
     */
    static String unavailableBecause()
    {
        return Verdict.REASON;
    }

    private static String check()
    {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty())
        {
            return "the JVM was started without --add-modules " + MODULE;
        }

        if (ByteOrder.LITTLE_ENDIAN != ByteOrder.nativeOrder())
        {
            return "the vector kernels are for little-endian processors";
        }

        try
        {
            return VectorCheck.failureOf(new VectorArithmetic());
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
                LOG.debug("host row kernels use the Vector API");
            }
            else
            {
                LOG.info("host row kernels are scalar: {}", REASON);
            }
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import dev.transload.spi.TransportUnavailableException;
import java.util.Map;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorkerParams;

/** What {@link UcpLibraryTest} has done in JVMs of their own. */
public final class LibraryMain
{
    static final String FALLBACK = "fallback";
    static final String SIGNALS = "signals";
    static final String SETTING = "setting";

    /** A setting of one transport of UCX: read when a context or worker is made. */
    static final String VARIABLE = "UCX_TCP_TX_SEG_SIZE";

    private static final int NULL_POINTERS = 100_000;

    private LibraryMain()
    {
    }

    public static void main(final String[] arguments)
    {
        switch (arguments[0])
        {
            case FALLBACK:
                fallBack();
                break;

            case SIGNALS:
                UcpLibrary.load(UcpBinding.valueOf(arguments[1]), Map.of());
                openWorker("posix,self");
                catchNullPointers();
                break;

            case SETTING:
                UcpLibrary.load(UcpBinding.valueOf(arguments[1]), Map.of(VARIABLE, arguments[2]));
                System.out.println(openWorker("tcp"));
                break;

            default:
                throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void fallBack()
    {
        final UcpLibrary library = UcpLibrary.load(UcpBinding.AUTO, Map.of());
        System.out.println(library.calls().name());
        System.out.println(library.jniFailure().getMessage());
        try
        {
            UcpLibrary.load(UcpBinding.JNI, Map.of());
        }
        catch (final TransportUnavailableException ex)
        {
            System.out.println(ex.getMessage());
        }
    }

    private static String openWorker(final String transports)
    {
        try
        {
            final UcpContext context = new UcpContext(new UcpParams().requestRmaFeature().setConfig("TLS", transports));
            try
            {
                context.newWorker(new UcpWorkerParams()).close();
            }
            finally
            {
                context.close();
            }

            return "accepted";
        }
        catch (final UcxException ex)
        {
            return "refused: " + ex.getMessage();
        }
    }

    /** A hot loop: the JVM then finds null pointers by its handler of SIGSEGV, which UCX must not have replaced. */
    private static void catchNullPointers()
    {
        final String[] texts = new String[4];
        texts[1] = "x";
        int caught = 0;
        for (int i = 0; caught < NULL_POINTERS; i++)
        {
            try
            {
                caught += texts[i & 3].length() - 1;
            }
            catch (final NullPointerException ex)
            {
                caught++;
            }
        }
        System.out.println(caught + " null pointers caught");
    }
}

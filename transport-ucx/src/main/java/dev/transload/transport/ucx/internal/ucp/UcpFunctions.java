/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** UCX's functions, mapped by JNA: {@code ucpPutNbx} is {@code ucp_put_nbx}; pointers are longs, statuses bytes. */
final class UcpFunctions
{
    private static final Pattern CAPITAL = Pattern.compile("([A-Z])");

    /** Held for ever: JNA unmaps a library that nobody refers to. */
    private static NativeLibrary library;

    private UcpFunctions()
    {
    }

    /**
     * Bind all functions, once: later calls only look whether they could be bound.
     *
     * @param name of the library for the dynamic linker.
     * @throws UnsatisfiedLinkError if it can't be opened or lacks one of them; nothing is bound then.
     */
    static synchronized void bind(final String name)
    {
        final FunctionMapper mapper = (final NativeLibrary mapped, final Method method) -> nativeName(method.getName());
        final NativeLibrary opened = NativeLibrary.getInstance(name, Map.of(Library.OPTION_FUNCTION_MAPPER, mapper));
        for (final Method method : UcpFunctions.class.getDeclaredMethods())
        {
            if (Modifier.isNative(method.getModifiers()))
            {
                opened.getFunction(nativeName(method.getName()));
            }
        }

        if (null == library)
        {
            Native.register(UcpFunctions.class, opened);
            library = opened;
        }
    }

    private static String nativeName(final String name)
    {
        return CAPITAL.matcher(name).replaceAll("_$1").toLowerCase(Locale.ROOT);
    }

    static native void ucpGetVersion(long major, long minor, long release);

    static native String ucsStatusString(byte status);

    static native long ucpPutNbx(long endpoint, long buffer, long count, long remote, long remoteKey, long param);

    static native long ucpGetNbx(long endpoint, long buffer, long count, long remote, long remoteKey, long param);

    static native long ucpAtomicOpNbx(
        long endpoint, int operation, long buffer, long count, long remote, long remoteKey, long param);

    static native long ucpEpFlushNbx(long endpoint, long param);

    static native long ucpEpCloseNbx(long endpoint, long param);

    static native int ucpWorkerProgress(long worker);

    static native byte ucpRequestCheckStatus(long request);

    static native void ucpRequestFree(long request);

    static native byte ucpRkeyPtr(long remoteKey, long remote, long address);
}

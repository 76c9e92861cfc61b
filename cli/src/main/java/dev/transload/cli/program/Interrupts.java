/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGINT (Ctrl-C) and SIGTERM. The first one asks the listener to end the command with what it has; without a
 * listener it ends this program, hooks included. The second one ends this program at once.
 *
 * <p>The classes of signals are no part of Java's own API, hence by their names: where a JVM lacks them, or leaves
 * signals alone ({@code -Xrs}), signals do what they do by default.
 */
public final class Interrupts
{
    private static final Logger LOG = LoggerFactory.getLogger(Interrupts.class);
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";

    /** What a shell adds to the number of the signal that ended a program. */
    private static final int EXIT_CODES = 128;

    private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15);

    private static final Interrupts OWN = new Interrupts(System::exit, Runtime.getRuntime()::halt);

    /** Ends this program with an exit code. */
    @FunctionalInterface
    interface End
    {
        void with(int exitCode);
    }

    /** Told of the first signal, by a thread of its own. */
    @FunctionalInterface
    public interface Listener
    {
        /**
         * End with what there is.
         *
         * @param exitCode for it, as a shell expects it: 130 of SIGINT, 143 of SIGTERM.
         */
        void interrupted(int exitCode);
    }

    /** Until it is closed, somebody listens. */
    public interface Watch extends AutoCloseable
    {
        @Override
        void close();
    }

    private final End orderly;
    private final End atOnce;
    private Listener listener;
    private int exitCode;

    /** For tests, whose ends may be none. */
    Interrupts(final End orderly, final End atOnce)
    {
        this.orderly = orderly;
        this.atOnce = atOnce;
    }

    /** From now on both signals come here. */
    public static void handle()
    {
        NUMBERS.forEach((name, number) -> handle(name, handler(() -> OWN.signal(EXIT_CODES + number))));
    }

    /** A terminal sends SIGINT to ranks, too, whose launcher decides when they end. */
    public static void ignoreKeyboard()
    {
        handle("INT", handler(() -> LOG.debug("SIGINT is left to the launcher")));
    }

    /**
     * Listen to the first signal.
     *
     * @param listener to tell; one at a time. Told at once where the signal came already.
     * @return to close when nobody listens any more.
     */
    public static Watch tell(final Listener listener)
    {
        return OWN.listen(listener);
    }

    /**
     * Whether a signal came.
     *
     * @return exit code for it, 0 for none.
     */
    public static int exitCode()
    {
        return OWN.code();
    }

    /**
     * Which signal it was, in words.
     *
     * @param exitCode of it.
     * @return e.g. {@code SIGINT}.
     */
    public static String name(final int exitCode)
    {
        return NUMBERS.entrySet().stream().filter((signal) -> EXIT_CODES + signal.getValue() == exitCode)
            .map((signal) -> "SIG" + signal.getKey()).findFirst().orElse("signal " + (exitCode - EXIT_CODES));
    }

    Watch listen(final Listener told)
    {
        final int already;
        synchronized (this)
        {
            listener = told;
            already = exitCode;
        }

        if (already > 0)
        {
            told.interrupted(already);
        }

        return this::unlisten;
    }

    void signal(final int code)
    {
        final boolean isFirst;
        final Listener told;
        synchronized (this)
        {
            isFirst = 0 == exitCode;
            exitCode = isFirst ? code : exitCode;
            told = listener;
        }

        if (!isFirst)
        {
            atOnce.with(code);
        }
        else if (null == told)
        {
            orderly.with(code);
        }
        else
        {
            told.interrupted(code);
        }
    }

    synchronized int code()
    {
        return exitCode;
    }

    private synchronized void unlisten()
    {
        listener = null;
    }

    private static Object handler(final Runnable action)
    {
        try
        {
            final Class<?> type = Class.forName(HANDLER);
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, (proxy, method, args) ->
            {
                if ("handle".equals(method.getName()))
                {
                    action.run();
                    return null;
                }

                return switch (method.getName())
                {
                    case "equals" -> proxy == args[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> HANDLER;
                };
            });
        }
        catch (final ClassNotFoundException ex)
        {
            LOG.debug("signals do what they do by default", ex);
            return null;
        }
    }

    private static void handle(final String name, final Object handler)
    {
        if (null == handler)
        {
            return;
        }

        try
        {
            final Class<?> signal = Class.forName(SIGNAL);
            signal.getMethod("handle", signal, Class.forName(HANDLER))
                .invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
        }
        catch (final InvocationTargetException ex)
        {
            LOG.debug("this JVM leaves SIG{} alone", name, ex);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("signals of this JVM are other ones than expected", ex);
        }
    }
}

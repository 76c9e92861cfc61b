/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.outcome;

import com.typesafe.config.ConfigException;
import dev.transload.engine.BadInputException;
import dev.transload.engine.CallFailedException;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.UnsupportedCapabilityException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.InvalidPathException;

/**
 * How a command or a rank ended.
 *
 * @param exitCode  of {@link ExitCodes}.
 * @param sentence  for a person; empty when done.
 * @param isEcho    whether it only says that another rank failed, so that the other's sentence tells more.
 * @param trace     stack trace, empty when done.
 */
public record Outcome(int exitCode, String sentence, boolean isEcho, String trace)
{
    /** A good end. */
    public static final Outcome DONE = new Outcome(ExitCodes.DONE, "", false, "");

    /** A bad end without a cause to show. */
    public static Outcome of(final int exitCode, final String sentence)
    {
        return new Outcome(exitCode, sentence, false, "");
    }

    /** What an exception means. */
    public static Outcome of(final Throwable cause)
    {
        final StringWriter trace = new StringWriter();
        cause.printStackTrace(new PrintWriter(trace));
        final Throwable reason = reasonOf(cause);
        return new Outcome(exitCodeOf(reason), sentenceOf(reason), isEcho(reason), trace.toString());
    }

    /** A class that could not be initialised says nothing itself of why. */
    private static Throwable reasonOf(final Throwable cause)
    {
        return cause instanceof ExceptionInInitializerError && null != cause.getCause() ?
            reasonOf(cause.getCause()) : cause;
    }

    private static int exitCodeOf(final Throwable cause)
    {
        if (cause instanceof final CommandException command)
        {
            return command.exitCode();
        }

        if (cause instanceof final RendezvousException rendezvous)
        {
            return exitCodeOf(rendezvous.reason());
        }

        if (cause instanceof final CallFailedException call)
        {
            return exitCodeOf(call);
        }

        if (cause instanceof ConfigurationException || cause instanceof BadInputException ||
            cause instanceof ConfigException || cause instanceof InvalidPathException)
        {
            return ExitCodes.BAD_INPUT;
        }

        if (cause instanceof TransportUnavailableException || cause instanceof UnsupportedCapabilityException ||
            cause instanceof OutOfMemoryError || cause instanceof LinkageError ||
            cause instanceof TypeNotPresentException)
        {
            return ExitCodes.UNAVAILABLE;
        }

        return cause instanceof PeerFailedException ? ExitCodes.PEER_FAILED : ExitCodes.FAILED;
    }

    private static int exitCodeOf(final RendezvousException.Reason reason)
    {
        return switch (reason)
        {
            case DUPLICATE_RANK, WORLD_MISMATCH, REFUSED, BAD_CONFIGURATION -> ExitCodes.BAD_INPUT;
            case ADDRESS_UNAVAILABLE -> ExitCodes.UNAVAILABLE;
            default -> ExitCodes.PEER_FAILED;
        };
    }

    private static int exitCodeOf(final CallFailedException call)
    {
        return switch (call.reason())
        {
            case PEER_FAILED, DEADLINE, ABORTED_BY_PEER, EVICTED -> ExitCodes.PEER_FAILED;
            case MISMATCH, BAD_INPUT -> ExitCodes.BAD_INPUT;
            default -> null == call.getCause() ? ExitCodes.FAILED : exitCodeOf(call.getCause());
        };
    }

    private static boolean isEcho(final Throwable cause)
    {
        if (cause instanceof final CallFailedException call)
        {
            return switch (call.reason())
            {
                case PEER_FAILED, DEADLINE, ABORTED_BY_PEER, RETIRED, EVICTED -> true;
                default -> false;
            };
        }

        if (cause instanceof final RendezvousException rendezvous)
        {
            return switch (rendezvous.reason())
            {
                case MISSING_RANKS, MEMBER_LOST, CLOSED -> true;
                default -> false;
            };
        }

        return cause instanceof PeerFailedException;
    }

    private static String sentenceOf(final Throwable cause)
    {
        if (cause instanceof OutOfMemoryError)
        {
            return "this JVM has not enough memory: " + cause.getMessage() +
                "; ask for less, or allow more, e.g. JAVA_TOOL_OPTIONS=-Xmx4g";
        }

        if (cause instanceof LinkageError || cause instanceof TypeNotPresentException)
        {
            return "this program cannot run: " + cause + "; are files of it missing, or too few open ones allowed " +
                "(ulimit -n)?";
        }

        if (cause instanceof final InvalidPathException path)
        {
            return "'" + path.getInput().replaceAll("\\p{Cntrl}", "?") + "' is not a path: " + path.getReason();
        }

        final String message = null == cause.getMessage() ? "" : cause.getMessage().strip().replaceAll("\\s+", " ");
        final boolean isOurs = cause instanceof CommandException ||
            cause.getClass().getName().startsWith("dev.transload.") || cause instanceof ConfigException;

        return isOurs && !message.isEmpty() ? message :
            cause.getClass().getSimpleName() + (message.isEmpty() ? "" : ": " + message) +
            " (unexpected; --verbose shows where)";
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.logging.Slf4jLogImpl;
import org.jgroups.stack.Protocol;

import java.util.function.Supplier;

/**
 * JGroups' log of one protocol, through SLF4J. It passes warnings and errors only, and none once it is hushed: what the
 * TCP layer or a leaving stack complains of (a connection closed twice, a peer that left first) is no trouble of the
 * user's, and real trouble reaches him as an exception or a lost member.
 */
final class QuietLog extends Slf4jLogImpl
{
    private static final String HUSHED = "fatal";

    private volatile boolean isHushed;

    private QuietLog(final Class<?> source)
    {
        super(source);
    }

    /** Makes protocols whose logs are quiet, and leaves the log factory of other JGroups users as it was. */
    static synchronized <T> T whileLogging(final Supplier<T> protocols)
    {
        final CustomLogFactory before = LogFactory.getCustomLogFactory();
        LogFactory.setCustomLogFactory(new Factory());
        try
        {
            return protocols.get();
        }
        finally
        {
            LogFactory.setCustomLogFactory(before);
        }
    }

    static void hush(final Protocol protocol)
    {
        protocol.setLevel(HUSHED);
    }

    @Override
    public void setLevel(final String level)
    {
        isHushed = HUSHED.equals(level);
    }

    @Override
    public boolean isInfoEnabled()
    {
        return false;
    }

    @Override
    public boolean isWarnEnabled()
    {
        return !isHushed && super.isWarnEnabled();
    }

    @Override
    public boolean isErrorEnabled()
    {
        return !isHushed && super.isErrorEnabled();
    }

    @Override
    public void info(final String message)
    {
        debug(message);
    }

    @Override
    public void info(final String format, final Object... arguments)
    {
        debug(format, arguments);
    }

    @Override
    public void warn(final String message)
    {
        if (isWarnEnabled())
        {
            super.warn(message);
        }
    }

    @Override
    public void warn(final String format, final Object... arguments)
    {
        if (isWarnEnabled())
        {
            super.warn(format, arguments);
        }
    }

    @Override
    public void warn(final String message, final Throwable cause)
    {
        if (isWarnEnabled())
        {
            super.warn(message, cause);
        }
    }

    @Override
    public void error(final String message)
    {
        if (isErrorEnabled())
        {
            super.error(message);
        }
    }

    @Override
    public void error(final String format, final Object... arguments)
    {
        if (isErrorEnabled())
        {
            super.error(format, arguments);
        }
    }

    @Override
    public void error(final String message, final Throwable cause)
    {
        if (isErrorEnabled())
        {
            super.error(message, cause);
        }
    }

    /** Gives every protocol its own. */
    private static final class Factory implements CustomLogFactory
    {
        @Override
        public Log getLog(final Class<?> source)
        {
            return new QuietLog(source);
        }

        @Override
        public Log getLog(final String category)
        {
            return new Slf4jLogImpl(category);
        }
    }
}

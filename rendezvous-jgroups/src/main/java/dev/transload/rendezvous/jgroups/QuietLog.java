/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Supplier;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.logging.Slf4jLogImpl;

/**
 * JGroups' log of one protocol, through SLF4J, at debug level: what a stack complains of (a connection closed twice, a
 * peer that left first) is no trouble of the user's, and real trouble reaches them as an exception or a lost member.
 */
final class QuietLog implements CustomLogFactory
{
    private static final Set<String> DEMOTED = Set.of("error", "warn", "info", "failSafeError", "failSafeWarn");

    /** Makes protocols whose logs are quiet, and leaves the log factory of other JGroups users as it was. */
    static synchronized <T> T whileLogging(final Supplier<T> protocols)
    {
        final CustomLogFactory before = LogFactory.getCustomLogFactory();
        LogFactory.setCustomLogFactory(new QuietLog());
        try
        {
            return protocols.get();
        }
        finally
        {
            LogFactory.setCustomLogFactory(before);
        }
    }

    @Override
    public Log getLog(final Class<?> source)
    {
        return getLog(source.getName());
    }

    @Override
    public Log getLog(final String category)
    {
        final Log log = new Slf4jLogImpl(category);
        return (Log)Proxy.newProxyInstance(QuietLog.class.getClassLoader(), new Class<?>[]{ Log.class },
            (proxy, method, arguments) -> (DEMOTED.contains(method.getName()) ?
                Log.class.getMethod("debug", method.getParameterTypes()) : method).invoke(log, arguments));
    }
}

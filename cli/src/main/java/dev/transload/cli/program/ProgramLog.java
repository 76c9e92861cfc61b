/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * The program's logging: to standard error, since standard output belongs to results, a line each, without stack
 * traces. Reading the same from a file of XML would take each JVM a tenth of a second. A file that the property
 * {@code logback.configurationFile} names is used instead.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class ProgramLog extends ContextAwareBase implements Configurator
{
    /** The level of all loggers of ours; no key of ours, since it must be known before anything is read. */
    public static final String LEVEL = "dev.transload.log";

    private static final String FILE = "logback.configurationFile";
    private static final String OURS = "dev.transload";
    private static final String PROGRAM = "dev.transload.cli";

    /** {@code LEVEL Class: message}. */
    private static final class Line extends LayoutBase<ILoggingEvent>
    {
        @Override
        public String doLayout(final ILoggingEvent event)
        {
            final String name = event.getLoggerName();
            return event.getLevel() + " " + name.substring(name.lastIndexOf('.') + 1) + ": " +
                event.getFormattedMessage() + System.lineSeparator();
        }
    }

    @Override
    public ExecutionStatus configure(final LoggerContext logging)
    {
        if (null != System.getProperty(FILE))
        {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }

        final Line line = new Line();
        line.setContext(logging);
        line.start();
        final LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(logging);
        encoder.setLayout(line);
        final ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(logging);
        appender.setName("stderr");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        encoder.start();
        appender.start();
        logging.getLogger(OURS).setLevel(level(Level.WARN));
        logging.getLogger(PROGRAM).setLevel(level(Level.INFO));
        logging.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        logging.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Level level(final Level usual)
    {
        return Level.toLevel(System.getProperty(LEVEL), usual);
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class ProgramLogTest
{
    private final LoggerContext logging = new LoggerContext();
    private final ProgramLog log = new ProgramLog();

    @Test
    void shouldBeFoundByLogback()
    {
        assertTrue(ServiceLoader.load(Configurator.class).stream().anyMatch((one) -> ProgramLog.class == one.type()));
        assertInstanceOf(LoggerContext.class, org.slf4j.LoggerFactory.getILoggerFactory());
    }

    @Test
    void shouldWriteALineToStandardErrorWithoutAStackTrace()
    {
        final PrintStream before = System.err;
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try
        {
            log.configure(logging);
            // As SLF4J's provider does.
            logging.setMDCAdapter(new LogbackMDCAdapter());
            logging.getLogger("dev.transload.cli.run.RunCommand").info("{} ranks", 4);
            logging.getLogger("dev.transload.engine.Engine").info("not told");
            logging.getLogger("dev.transload.engine.Engine").warn("late", new IllegalStateException("cause"));
            logging.getLogger("Default").warn("of others");
        }
        finally
        {
            System.setErr(before);
        }

        assertEquals("INFO RunCommand: 4 ranks\nWARN Engine: late\nWARN Default: of others\n",
            written.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldTakeTheLevelOfTheProperty()
    {
        System.setProperty(ProgramLog.LEVEL, "DEBUG");
        try
        {
            log.configure(logging);
        }
        finally
        {
            System.clearProperty(ProgramLog.LEVEL);
        }

        assertEquals(Level.DEBUG, logging.getLogger("dev.transload.engine.Engine").getEffectiveLevel());
        assertEquals(Level.DEBUG, logging.getLogger("dev.transload.cli.Main").getEffectiveLevel());
        assertEquals(Level.WARN, logging.getLogger("org.jgroups").getEffectiveLevel());
    }

    @Test
    void shouldLeaveItToAFileThatIsNamed()
    {
        System.setProperty("logback.configurationFile", "any.xml");
        try
        {
            assertEquals(Configurator.ExecutionStatus.INVOKE_NEXT_IF_ANY, log.configure(logging));
        }
        finally
        {
            System.clearProperty("logback.configurationFile");
        }
    }
}

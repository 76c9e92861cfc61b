/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class ManPagesTest
{
    private final Map<String, String> pages = ManPages.all();
    private final CommandSpec program = Main.program().getCommandSpec();

    @TempDir
    private Path folder;

    @Test
    void shouldHaveAPageForTheProgramAndEachCommand()
    {
        assertEquals(1 + program.subcommands().size(), pages.size());
        final String page = pages.get("transload.1");
        assertTrue(page.startsWith(".TH \"TRANSLOAD\" 1 "), page);
        program.subcommands().keySet().forEach((command) ->
        {
            assertTrue(pages.containsKey("transload-" + command + ".1"), command);
            assertFalse(page.contains("%n"), page);
            assertTrue(page.contains(".BR transload\\-" + command.replace("-", "\\-") + " (1)\n"), page);
        });
    }

    @Test
    void shouldDescribeEveryOptionOfEveryCommand()
    {
        assertOptions(program);
        program.subcommands().values().forEach((command) -> assertOptions(command.getCommandSpec()));
    }

    @Test
    void shouldWriteThemAsFilesThatManFormatsWithoutAWarning() throws IOException, InterruptedException
    {
        ManPages.main(new String[]{ folder.resolve("man1").toString() });
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "groff is not installed");

        for (final String page : pages.keySet())
        {
            final Process groff = new ProcessBuilder("groff", "-man", "-Tutf8", "-ww", "-z",
                folder.resolve("man1").resolve(page).toString()).redirectErrorStream(true).start();
            final String said = new String(groff.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(groff.waitFor(1, TimeUnit.MINUTES));
            assertEquals("", said, page);
            assertEquals(0, groff.exitValue(), page);
        }
    }

    private void assertOptions(final CommandSpec command)
    {
        final String page = pages.get(command.qualifiedName("-") + ".1");
        for (final OptionSpec option : command.options())
        {
            for (final String name : option.names())
            {
                assertTrue(page.lines().anyMatch((line) -> line.matches("\\.B (.*, )?" +
                    Pattern.quote(name.replace("-", "\\-")) + "([, A-Z].*)?")), name + ": " + page);
            }

            assertFalse(String.join(" ", option.description()).isBlank(), option::longestName);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.program.BuildInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

/** Where and when a report was made: figures without a machine say little. */
final class Origin
{
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    private Origin()
    {
    }

    static ObjectNode now()
    {
        final BuildInfo build = BuildInfo.own();
        final ObjectNode made = JsonNodeFactory.instance.objectNode()
            .put("at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
            .put("version", build.version())
            .put("commit", build.commit())
            .put("java", Runtime.version().toString())
            .put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", " +
                System.getProperty("os.arch"))
            .put("cores", Runtime.getRuntime().availableProcessors());
        final String processor = processor();
        return processor.isEmpty() ? made : made.put("processor", processor);
    }

    /** Empty where the system doesn't name it so. */
    private static String processor()
    {
        if (!Files.isReadable(PROCESSORS))
        {
            return "";
        }

        try (Stream<String> lines = Files.lines(PROCESSORS))
        {
            return lines.filter((line) -> line.startsWith(MODEL)).findFirst()
                .map((line) -> line.substring(line.indexOf(':') + 1).strip()).orElse("");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.Refusals;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFileTest
{
    @TempDir
    private Path folder;

    @Test
    void shouldReplaceWhatIsThereAndSayWhereItWasMade() throws IOException
    {
        final Path file = Files.writeString(folder.resolve("a report.html"), "an older one");
        final ObjectNode data = JsonNodeFactory.instance.objectNode();
        ReportFile.at(file.toString()).write("A title", data);

        assertTrue(Files.readString(file).startsWith("<!doctype html>"));
        assertEquals(Runtime.getRuntime().availableProcessors(), data.at("/made/cores").asInt());
        assertTrue(data.at("/made/at").asText().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"), data.toString());
    }

    @Test
    void shouldRefuseAFolderThatDoesNotExist()
    {
        final Path file = folder.resolve("absent").resolve("a.html");
        Refusals.assertRefused(ExitCodes.BAD_INPUT, () -> ReportFile.at(file.toString()),
            "--report " + file, "there is no folder " + folder.resolve("absent"));
        assertFalse(Files.exists(folder.resolve("absent")));
    }

    @Test
    void shouldRefuseWhatIsNoFile()
    {
        Refusals.assertRefused(
            ExitCodes.BAD_INPUT, () -> ReportFile.at(folder.toString()), folder.toString(), "must name a file");
        Refusals.assertRefused(ExitCodes.BAD_INPUT, () -> ReportFile.at(" "), "must name a file");
        Refusals.assertRefused(ExitCodes.BAD_INPUT, () -> ReportFile.at("a\0b"), "is not a path");
    }

    @Test
    void shouldSayWhyItCouldNotBeWritten() throws IOException
    {
        final Path gone = Files.createDirectory(folder.resolve("gone"));
        final ReportFile file = ReportFile.at(gone.resolve("a.html").toString());
        Files.delete(gone);

        Refusals.assertRefused(ExitCodes.UNAVAILABLE,
            () -> file.write("A title", JsonNodeFactory.instance.objectNode()), "it could not be written", "a.html");
    }
}

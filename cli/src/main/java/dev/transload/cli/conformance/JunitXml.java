/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceReport;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Results of the kit as the XML that CI servers read of JUnit: a test suite, with a test case a rule or check. */
final class JunitXml
{
    private static final String DEVICES = "DEVICE";

    private JunitXml()
    {
    }

    /**
     * Writes the file anew.
     *
     * @param file   to write.
     * @param suite  name.
     * @param rules  results by rule.
     * @param checks of devices, null where none were made.
     */
    static void write(
        final Path file, final String suite, final ConformanceReport rules, final DeviceReport checks)
    {
        final List<Result> cases = new ArrayList<>(rules.results());
        if (null != checks)
        {
            checks.checks().forEach((check) ->
                cases.add(new Result(DEVICES, check.name(), check.status(), check.reason())));
        }

        try (Writer out = Files.newBufferedWriter(file))
        {
            final XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(out);
            xml.writeStartDocument();
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", suite);
            xml.writeAttribute("tests", Integer.toString(cases.size()));
            xml.writeAttribute("failures", Long.toString(count(cases.stream(), Status.FAILED)));
            xml.writeAttribute("skipped", Long.toString(count(cases.stream(), Status.SKIPPED)));
            xml.writeAttribute("errors", "0");
            for (final Result one : cases)
            {
                write(xml, suite, one);
            }

            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        }
        catch (final IOException | XMLStreamException ex)
        {
            throw new CommandException(
                ExitCodes.UNAVAILABLE, "--junit=" + file + " cannot be written: " + ex.getMessage(), ex);
        }
    }

    private static void write(final XMLStreamWriter xml, final String suite, final Result one) throws XMLStreamException
    {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", suite);
        xml.writeAttribute("name", one.rule() + " " + one.test());
        if (Status.PASSED != one.status())
        {
            xml.writeEmptyElement(Status.FAILED == one.status() ? "failure" : "skipped");
            xml.writeAttribute("message", allowed(one.reason()));
        }

        xml.writeEndElement();
    }

    /** XML has no control characters, not even escaped. */
    private static String allowed(final String text)
    {
        return text.replaceAll("[\\p{Cntrl}&&[^\\t\\n\\r]]", "?");
    }

    private static long count(final Stream<Result> cases, final Status status)
    {
        return cases.filter((one) -> status == one.status()).count();
    }
}

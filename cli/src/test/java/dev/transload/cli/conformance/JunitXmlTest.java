/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.CommandException;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

class JunitXmlTest
{
    private static final String SUITE = "transload conformance net";

    @TempDir
    private Path folder;

    @Test
    void shouldWriteACaseForEachRuleAndCheck() throws IOException, SAXException, ParserConfigurationException
    {
        final ConformanceReport rules = new ConformanceReport(List.of(
            new Result("ADD-1", "add1", Status.PASSED, ""),
            new Result("ORD-2", "ord2", Status.FAILED, "expected <1> & saw \"0\"\u0000"),
            new Result("THR-1", "thr1", Status.SKIPPED, "one thread")));
        final DeviceReport checks = new DeviceReport(Map.of(), List.of(),
            List.of(new DeviceReport.Check("sums", Status.FAILED, "a bit differs", 7, Map.of())));

        final Path file = folder.resolve("results.xml");
        JunitXml.write(file, SUITE, rules, checks);

        final Element suite = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile())
            .getDocumentElement();
        assertEquals("testsuite " + SUITE + " 4 2 1 0", suite.getTagName() + " " + suite.getAttribute("name") + " " +
            suite.getAttribute("tests") + " " + suite.getAttribute("failures") + " " + suite.getAttribute("skipped") +
            " " + suite.getAttribute("errors"));
        final NodeList cases = suite.getElementsByTagName("testcase");
        assertEquals("ADD-1 add1", ((Element)cases.item(0)).getAttribute("name"));
        assertEquals(0, ((Element)cases.item(0)).getElementsByTagName("*").getLength());
        assertEquals("expected <1> & saw \"0\"?", message(cases, 1, "failure"));
        assertEquals("one thread", message(cases, 2, "skipped"));
        assertEquals("a bit differs", message(cases, 3, "failure"));
    }

    @Test
    void shouldSayWhichFileCannotBeWritten()
    {
        final Path file = folder.resolve("no-such-folder").resolve("results.xml");
        final CommandException refused = assertThrows(CommandException.class,
            () -> JunitXml.write(file, SUITE, new ConformanceReport(List.of()), null));

        assertTrue(refused.getMessage().startsWith("--junit=" + file + " cannot be written: "), refused.getMessage());
    }

    private static String message(final NodeList cases, final int index, final String kind)
    {
        return ((Element)((Element)cases.item(index)).getElementsByTagName(kind).item(0)).getAttribute("message");
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.page.ReportFile;
import dev.transload.cli.report.RunPage;
import dev.transload.cli.report.SampleSummary;
import dev.transload.cli.report.Summary;
import dev.transload.gate.Thorough;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports in a browser: what they draw, ask for and complain of. Pictures of them stay in target/report. */
@Timeout(300)
@Thorough("a browser; PageTest, RunPageTest and ReportFileTest have what stands in a page")
class ReportIT
{
    private static final Path PICTURES = Path.of("target", "report");
    private static final int ITERATIONS = 12;
    /** Of a bench of all sizes on a busy machine. */
    private static final long BENCH_SECONDS = 600;

    /** Two frames after the page has taken its width. */
    private static final String SETTLED =
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";

    /** Plots in which nothing is drawn but axes. */
    private static final String EMPTY_PLOTS =
        "[...document.querySelectorAll('.plot')].filter((plot) => plot.querySelectorAll('.mark, .many, .bar, .cell')" +
        ".length < 2).map((plot) => plot.textContent)";

    /** Plots without a name or a description for those who do not see them, or without figures or a legend. */
    private static final String UNNAMED_PLOTS =
        "[...document.querySelectorAll('.plot svg')].filter((svg) => svg.getAttribute('role') !== 'img' || " +
        "svg.getAttribute('aria-labelledby').split(' ').some((id) => !document.getElementById(id).textContent))" +
        ".map((svg) => svg.outerHTML.slice(0, 200))";

    /** Texts smaller than 12 px as shown, and those that leave their plot. */
    private static final String POOR_TEXTS = """
        [...document.querySelectorAll('body *')].filter((node) => node.getClientRects().length > 0 &&
            [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) &&
            parseFloat(getComputedStyle(node).fontSize) * (node.ownerSVGElement ?
                node.ownerSVGElement.getBoundingClientRect().width / node.ownerSVGElement.viewBox.baseVal.width :
                1) < 11.99)
        .concat([...document.querySelectorAll('.plot text')].filter((text) =>
        {
            const [inner, outer] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
            return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 ||
                inner.bottom > outer.bottom + 1;
        })).map((node) => node.textContent)""";

    /** Luminance of the paper and of the least readable text, and their contrast as WCAG has it. */
    private static final String CONTRAST = """
        (() =>
        {
            const part = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
            const channels = (colour) => colour.match(/[0-9.]+/g).map(Number);
            const luminance = (colour) =>
            {
                const [r, g, b] = colour.map((value) => part(value / 255));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const paper = channels(getComputedStyle(document.body).backgroundColor);
            const behind = (node) =>
            {
                const below = node.previousElementSibling;
                const share = below && below.matches('.cell') ? Number(below.getAttribute('fill-opacity')) : 0;
                const fill = share > 0 ? channels(getComputedStyle(below).fill) : paper;
                return luminance(paper.map((value, i) => share * fill[i] + (1 - share) * value));
            };
            const texts = [...document.querySelectorAll('p, dt, dd, th, td, summary, li, .plot text')];
            return { paper: luminance(paper), least: Math.min(...texts.map((node) => contrast(behind(node),
                luminance(channels(getComputedStyle(node)[node.ownerSVGElement ? 'fill' : 'color']))))) };
        })()""";

    @TempDir
    private static Path folder;

    private static Browser browser;
    private static Path run;
    private static Path decode;
    private static Path bench;
    private static Path ranks;
    private static Path calls;
    private static JsonNode summary;

    static Stream<Arguments> views()
    {
        return Stream.of("run", "decode", "bench", "ranks", "calls").flatMap((page) -> Stream.of(
            Arguments.of(page, 1100, "screen", "light"), Arguments.of(page, 1100, "screen", "dark"),
            Arguments.of(page, 375, "screen", "light"), Arguments.of(page, 375, "screen", "dark"),
            Arguments.of(page, 680, "print", "dark")));
    }

    @BeforeAll
    static void makeReports() throws Exception
    {
        final Optional<Path> program = Browser.program();
        if (program.isEmpty())
        {
            LoudSkip.because("there is no chromium on the PATH to open reports with");
        }

        Files.createDirectories(PICTURES);
        run = folder.resolve("run.html");
        decode = folder.resolve("decode.html");
        bench = folder.resolve("bench.html");
        ranks = folder.resolve("ranks.html");
        calls = folder.resolve("calls.html");
        final Program.End ran = Program.start(Files.createDirectory(folder.resolve("run")), "run", "--json", "--tokens",
            "24", "--hidden", "128", "--experts", "20", "--topk", "4", "-Dtransload.kernels.mode=scalar", "--timeout",
            "120s", "--iterations", String.valueOf(ITERATIONS), "--report", run.toString()).end();
        assertEquals(ExitCodes.DONE, ran.exitCode(), ran.err());
        summary = ran.json();
        final Program.End decoded = Program.start(Files.createDirectory(folder.resolve("decode")), "run", "--mode",
            "low-latency", "--tokens", "8", "--hidden", "128", "--experts", "20", "--topk", "4", "--timeout", "120s",
            "-Dtransload.kernels.mode=scalar", "--iterations", String.valueOf(ITERATIONS), "--report",
            decode.toString()).end();
        assertEquals(ExitCodes.DONE, decoded.exitCode(), decoded.err());
        final Program.End measured = Program.start(Files.createDirectory(folder.resolve("bench")), "bench", "aeron",
            "--json", "-Dtransload.timeouts.call=120s", "--report", bench.toString()).end(BENCH_SECONDS);
        assertEquals(ExitCodes.DONE, measured.exitCode(), measured.err());
        bench("ranks", "--sizes", "8,4k,64k", "--iterations", "40", "--report", ranks.toString());
        bench("calls", "--mode", "combine", "--tokens", "24", "--hidden", "128", "--experts", "20", "--topk", "4",
            "--nodes", "2", "--ranks-per-node", "2", "--iterations", String.valueOf(ITERATIONS), "--report",
            calls.toString());
        browser = Browser.start(program.get(), folder);
    }

    /** Between ranks. */
    private static void bench(final String name, final String... options) throws Exception
    {
        final List<String> args = new ArrayList<>(
            List.of("bench", "aeron", "--timeout", "120s", "-Dtransload.kernels.mode=scalar"));
        args.addAll(List.of(options));
        final Program.End end = Program.start(
            Files.createDirectory(folder.resolve(name)), args.toArray(String[]::new)).end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
    }

    @AfterAll
    static void endBrowser() throws InterruptedException
    {
        if (null != browser)
        {
            browser.end();
        }
    }

    @ParameterizedTest
    @MethodSource("views")
    void shouldBeReadable(final String name, final int width, final String medium, final String scheme)
        throws Exception
    {
        final Path page =
            Map.of("run", run, "decode", decode, "bench", bench, "ranks", ranks, "calls", calls).get(name);
        browser.show(width, 900, medium, scheme);
        browser.open(page);
        browser.evaluate(SETTLED);
        final Path picture = PICTURES.resolve(name + "-" + width + "-" + medium + "-" + scheme + ".png");
        Files.write(picture, browser.screenshot());

        assertEquals(List.of(page.toUri().toString()), browser.requests());
        assertEquals(List.of(), browser.complaints());
        assertEquals(Map.of("run", 6, "decode", 3, "bench", 4, "ranks", 2, "calls", 6).get(name),
            browser.evaluate("document.querySelectorAll('.plot').length").asInt());
        assertEquals("[]", browser.evaluate(EMPTY_PLOTS).toString());
        assertEquals("[]", browser.evaluate(UNNAMED_PLOTS).toString());
        assertEquals("[]", browser.evaluate(POOR_TEXTS).toString());
        assertEquals(0, browser.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)").asInt());
        final JsonNode contrast = browser.evaluate(CONTRAST);
        assertEquals("screen".equals(medium) && "dark".equals(scheme), contrast.get("paper").asDouble() < 0.1);
        assertTrue(contrast.get("least").asDouble() >= 4.5, contrast.toString());
    }

    @Test
    void shouldShowTheFiguresOfTheSummary() throws Exception
    {
        browser.show(1100, 900, "screen", "light");
        browser.open(run);
        final JsonNode data = browser.evaluate("JSON.parse(document.getElementById('data').textContent)");
        assertEquals(summary.at("/dispatch/micros/median"), data.at("/dispatch/micros/median"));
        assertEquals(ITERATIONS, data.at("/combine/micros/by_iteration").size());

        final double shown = Double.parseDouble(browser.evaluate(
            "document.querySelector('tbody tr td:nth-child(3)').textContent.replace(/\\u202f/g, '')").asText());
        final String unit = browser.evaluate("document.querySelector('th:nth-child(3) .unit').textContent").asText();
        final double micros = "s".equals(unit) ? 1e6 : "ms".equals(unit) ? 1e3 : 1.0;
        assertEquals(summary.at("/dispatch/micros/median").asDouble() / micros, shown, 0.00051);
        final List<String> ranks = StreamSupport.stream(browser.evaluate(
            "[...document.querySelectorAll('[aria-label=Ranks] td:nth-child(5)')].map((cell) => cell.textContent)")
            .spliterator(), false).map(JsonNode::asText).toList();
        assertEquals(StreamSupport.stream(summary.get("ranks").spliterator(), false)
            .map((rank) -> rank.get("rows_received").asText()).toList(), ranks);
    }

    @Test
    void shouldShowTheLowLatencyCallsOfABench() throws Exception
    {
        browser.show(1100, 900, "screen", "light");
        browser.open(bench);
        final JsonNode data = browser.evaluate("JSON.parse(document.getElementById('data').textContent)");
        final JsonNode calls = browser.evaluate("[...document.querySelectorAll(" +
            "'[aria-label=\"Times of low-latency calls\"] tbody th')].map((cell) => cell.textContent)");

        assertEquals(data.at("/low_latency/results").findValuesAsText("operation"),
            StreamSupport.stream(calls.spliterator(), false).map(JsonNode::asText).toList());
        assertEquals(8, calls.size());
    }

    @Test
    void shouldShowTheBytesOfABenchOfTheEngine() throws Exception
    {
        browser.show(1100, 900, "screen", "light");
        browser.open(calls);
        final JsonNode data = browser.evaluate("JSON.parse(document.getElementById('data').textContent)");
        final JsonNode shown = browser.evaluate("[...document.querySelectorAll(" +
            "'[aria-label=\"Bytes of calls\"] tbody > tr > *')].map((cell) => cell.textContent)");

        assertEquals(8, shown.size(), shown.toString());
        assertEquals("combine", shown.get(0).asText());
        assertEquals(data.at("/bench/results/0/deepep/out_bytes").asDouble() / 4 / 1e6, shown.get(4).asDouble(), 6e-4);
        assertEquals(data.at("/bench/results/0/deepep/up_bytes").asDouble() / 4 / 1e6, shown.get(6).asDouble(), 6e-4);
    }

    @Test
    void shouldShowTheAccountOfABenchBetweenRanks() throws Exception
    {
        browser.show(1100, 900, "screen", "light");
        browser.open(ranks);
        final JsonNode rates = browser.evaluate("[...document.querySelectorAll(" +
            "'[aria-label=Rates] tbody tr')].map((row) => row.cells[0].textContent + ' ' + row.cells[1].textContent)");
        final JsonNode shares = browser.evaluate("[...document.querySelectorAll(" +
            "'[aria-label=\"Account of the time\"] tbody tr')].map((row) => [...row.cells].slice(2)" +
            ".reduce((sum, cell) => sum + Number(cell.textContent), 0))");

        assertEquals(6, rates.size(), rates.toString());
        assertEquals("one-way 8", rates.get(0).asText());
        shares.forEach((share) -> assertEquals(100, share.asDouble(), 2.01, shares::toString));
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 240 })
    void shouldDrawInAWindowThatIsTooNarrow(final int width) throws Exception
    {
        browser.show(width, 900, "screen", "light");
        browser.open(run);
        browser.evaluate(SETTLED);

        assertEquals(List.of(), browser.complaints());
        assertEquals("[]", browser.evaluate(EMPTY_PLOTS).toString());
    }

    @Test
    void shouldPrintWhatStandsBehindThePlots() throws Exception
    {
        browser.show(1100, 900, "screen", "dark");
        browser.open(run);
        browser.evaluate(SETTLED);
        final String open = "document.querySelectorAll('details[open]').length";
        assertEquals(0, browser.evaluate(open).asInt());
        browser.evaluate("dispatchEvent(new Event('beforeprint')), true");
        assertEquals(browser.evaluate("document.querySelectorAll('details').length"), browser.evaluate(open));
        assertEquals(670, browser.evaluate("Math.max(...[...document.querySelectorAll('.plot svg')]" +
            ".map((svg) => svg.getBoundingClientRect().width))").asInt());
        browser.evaluate("dispatchEvent(new Event('afterprint')), true");
        assertEquals(0, browser.evaluate(open).asInt());

        browser.show(1100, 900, "", "dark");
        final byte[] pdf = browser.pdf();
        Files.write(PICTURES.resolve("run.pdf"), pdf);
        assertEquals("%PDF", new String(pdf, 0, 4, StandardCharsets.US_ASCII));
    }

    @Test
    void shouldShowNamesThatLookLikeMarkupAsText() throws Exception
    {
        final String name = "</script><script>alert(1)</script><img src=http://127.0.0.1:9/a onerror=alert(2)>.jsonl";
        final Summary spoiled = SampleSummary.of(name, "rank 1, row 3 <b>differs</b>");
        final Path page = folder.resolve("hostile.html");
        ReportFile.at(page.toString()).write(RunPage.title(spoiled), RunPage.data(spoiled));
        browser.open(page);

        assertEquals(List.of(page.toUri().toString()), browser.requests());
        assertEquals(List.of(), browser.complaints());
        assertEquals(0, browser.evaluate("document.querySelectorAll('img, b').length").asInt());
        assertTrue(browser.evaluate("document.querySelector('dl').textContent").asText().contains(name));
        assertTrue(browser.evaluate("document.querySelector('.verdict.bad').textContent").asText().startsWith("✗"));
        assertTrue(browser.evaluate("document.body.textContent").asText().contains("rank 1, row 3 <b>differs</b>"));
    }

    /** Whether these tests would notice at all. */
    @Test
    void shouldNoticeRequestsAndErrors() throws Exception
    {
        final Path page = Files.writeString(folder.resolve("noisy.html"),
            "<!doctype html><img src='http://127.0.0.1:9/a.png'><script>throw new Error('broken')</script>");
        browser.open(page);

        assertEquals(List.of(page.toUri().toString(), "http://127.0.0.1:9/a.png"), browser.requests());
        assertTrue(browser.complaints().stream().anyMatch((complaint) -> complaint.contains("broken")));
    }

    /** The page itself forbids what a script that slipped in might do. */
    @Test
    void shouldForbidForeignScripts() throws Exception
    {
        final Path page = folder.resolve("spoiled.html");
        Files.writeString(page, Files.readString(run).replace("<noscript>",
            "<script>document.title = 'taken over'</script><img src='http://127.0.0.1:9/a.png'><noscript>"));
        browser.open(page);

        assertFalse(browser.evaluate("document.title").asText().contains("taken over"));
        assertTrue(browser.complaints().stream().anyMatch((complaint) ->
            complaint.contains("Content Security Policy") && complaint.contains("script")));
        assertTrue(browser.complaints().stream().anyMatch((complaint) ->
            complaint.contains("Content Security Policy") && complaint.contains("a.png")));
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A headless Chromium with one page, driven and watched over its DevTools protocol. */
final class Browser implements WebSocket.Listener
{
    private static final long DEADLINE_SECONDS = 60;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final StringBuilder message = new StringBuilder();
    private final Process process;
    private final WebSocket socket;
    private volatile CompletableFuture<Void> loaded = new CompletableFuture<>();
    private int commands;

    private Browser(final Process process, final Path ports) throws Exception
    {
        this.process = process;
        Waiting.until("the browser tells its port", () -> lines(ports).size() > 1 || !process.isAlive());
        assertTrue(process.isAlive(), "the browser runs");
        final HttpClient client = HttpClient.newHttpClient();
        final HttpResponse<String> targets = client.send(HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + lines(ports).get(0) + "/json/list")).build(),
            HttpResponse.BodyHandlers.ofString());
        String page = null;
        for (final JsonNode target : JSON.readTree(targets.body()))
        {
            page = "page".equals(target.get("type").asText()) ? target.get("webSocketDebuggerUrl").asText() : page;
        }

        assertNotNull(page, targets.body());
        socket = client.newWebSocketBuilder().buildAsync(URI.create(page), this)
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        for (final String domain : List.of("Page", "Network", "Runtime", "Log"))
        {
            tell(domain + ".enable", JSON.createObjectNode());
        }
    }

    /** Where it is, if it is. */
    static Optional<Path> program()
    {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .flatMap((folder) -> List.of("chromium", "chromium-browser", "google-chrome").stream()
                .map((name) -> Path.of(folder, name)))
            .filter(Files::isExecutable).findFirst();
    }

    /** The sandbox is left out, since root may not have one; what is shown here is our own. */
    static Browser start(final Path program, final Path folder) throws Exception
    {
        final Path profile = Files.createDirectories(folder.resolve("profile"));
        final Process process = new ProcessBuilder(
            program.toString(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-port=0", "--user-data-dir=" + profile,
            "about:blank")
            .redirectErrorStream(true).redirectOutput(folder.resolve("browser.log").toFile()).start();
        try
        {
            return new Browser(process, profile.resolve("DevToolsActivePort"));
        }
        catch (final Exception | AssertionError ex)
        {
            end(process);
            throw ex;
        }
    }

    /** A fresh page, and a fresh record of what it asks for and complains of. */
    void open(final Path page) throws Exception
    {
        requests.clear();
        complaints.clear();
        loaded = new CompletableFuture<>();
        tell("Page.navigate", JSON.createObjectNode().put("url", page.toUri().toString()));
        loaded.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** For pages that are opened afterwards. Medium: screen or print; scheme: light or dark. */
    void show(final int width, final int height, final String medium, final String scheme) throws Exception
    {
        tell("Emulation.setDeviceMetricsOverride", JSON.createObjectNode()
            .put("width", width).put("height", height).put("deviceScaleFactor", 1).put("mobile", width < 600));
        final ObjectNode media = JSON.createObjectNode().put("media", medium);
        media.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", scheme);
        tell("Emulation.setEmulatedMedia", media);
    }

    /** Value of an expression, as JSON, after what it promises has come. */
    JsonNode evaluate(final String expression) throws Exception
    {
        final JsonNode answer = tell("Runtime.evaluate", JSON.createObjectNode()
            .put("expression", expression).put("awaitPromise", true).put("returnByValue", true));
        assertTrue(!answer.has("exceptionDetails"), answer.toString());
        return answer.at("/result/value");
    }

    /** PNG of the whole page. */
    byte[] screenshot() throws Exception
    {
        return Base64.getDecoder().decode(tell("Page.captureScreenshot",
            JSON.createObjectNode().put("captureBeyondViewport", true)).get("data").asText());
    }

    /** As it would be printed. */
    byte[] pdf() throws Exception
    {
        return Base64.getDecoder().decode(
            tell("Page.printToPDF", JSON.createObjectNode().put("preferCSSPageSize", true)).get("data").asText());
    }

    /** Addresses that the page has asked for, its own first. */
    List<String> requests()
    {
        return List.copyOf(requests);
    }

    /** Errors and warnings of its console. */
    List<String> complaints()
    {
        return List.copyOf(complaints);
    }

    @Override
    public CompletionStage<?> onText(final WebSocket source, final CharSequence text, final boolean isLast)
    {
        message.append(text);
        if (isLast)
        {
            final String whole = message.toString();
            message.setLength(0);
            take(parse(whole));
        }

        source.request(1);
        return null;
    }

    @Override
    public void onError(final WebSocket source, final Throwable error)
    {
        answers.values().forEach((answer) -> answer.completeExceptionally(error));
        loaded.completeExceptionally(error);
    }

    void end() throws InterruptedException
    {
        socket.abort();
        end(process);
    }

    private void take(final JsonNode event)
    {
        if (event.has("id"))
        {
            answers.remove(event.get("id").asInt()).complete(event);
            return;
        }

        final JsonNode params = event.get("params");
        switch (event.get("method").asText())
        {
            case "Page.loadEventFired" -> loaded.complete(null);
            case "Network.requestWillBeSent" -> requests.add(params.at("/request/url").asText());
            case "Runtime.exceptionThrown" -> complaints.add(params.at("/exceptionDetails").toString());
            case "Runtime.consoleAPICalled" -> complaints.add(params.get("args").toString());
            case "Log.entryAdded" -> complaints.add(params.at("/entry/text").asText());
            default ->
            {
                // Of no interest here.
            }
        }
    }

    private JsonNode tell(final String method, final ObjectNode params) throws Exception
    {
        final int id = ++commands;
        final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        final ObjectNode command = JSON.createObjectNode().put("id", id).put("method", method);
        command.set("params", params);
        socket.sendText(command.toString(), true).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        final JsonNode answered = answer.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertTrue(answered.has("result"), method + ": " + answered);
        return answered.get("result");
    }

    private static void end(final Process process) throws InterruptedException
    {
        final List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
        {
            process.destroyForcibly().waitFor();
        }

        // It still writes its profile while it ends, and the folder is about to be removed.
        children.forEach(ProcessHandle::destroyForcibly);
        Waiting.until("the browser's processes end", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static List<String> lines(final Path file)
    {
        try
        {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
        }
        catch (final IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }
    }

    private static JsonNode parse(final String text)
    {
        try
        {
            return JSON.readTree(text);
        }
        catch (final IOException ex)
        {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}

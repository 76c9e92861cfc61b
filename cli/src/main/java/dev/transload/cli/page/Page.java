/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Joins template, style, scripts and data. */
final class Page
{
    private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z-]+)}}");

    private Page()
    {
    }

    static String of(final String title, final JsonNode data)
    {
        final String style = resource("report.css");
        final String script = Stream.of("plots", "parts", "run", "exchange", "bench")
            .map((name) -> resource(name + ".js")).collect(Collectors.joining());
        final Map<String, String> parts = Map.of(
            "title", escapedText(title), "style", style, "style-hash", hash(style), "script", script,
            "script-hash", hash(script), "data", escapedJson(data.toString()));
        // One pass: what looks like a place within the data stays as it is.
        return PLACE.matcher(resource("report.html"))
            .replaceAll((place) -> Matcher.quoteReplacement(parts.get(place.group(1))));
    }

    private static String escapedText(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** These characters stand within strings only, and none of them can end or begin an element then. */
    private static String escapedJson(final String json)
    {
        return json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }

    /** As a Content-Security-Policy names what may be in the page. */
    private static String hash(final String text)
    {
        try
        {
            return "sha256-" + Base64.getEncoder().encodeToString(
                MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every JVM has SHA-256", ex);
        }
    }

    private static String resource(final String name)
    {
        try (InputStream stream = Page.class.getResourceAsStream(name))
        {
            if (null == stream)
            {
                throw new FileNotFoundException(name + " is not on the class path");
            }

            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}

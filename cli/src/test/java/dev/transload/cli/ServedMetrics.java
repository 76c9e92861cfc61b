/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counters that the ranks of a {@link Program} serve while it runs. */
final class ServedMetrics
{
    private static final Pattern NOTE =
        Pattern.compile("rank (\\d+) serves metrics at (http://127\\.0\\.0\\.1:\\d+/metrics)");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder;

    /** Of the program that was started in a folder. */
    ServedMetrics(final Path folder)
    {
        this.folder = folder;
    }

    /** Where ranks said that they serve, by rank; the launcher's standard error has it. */
    TreeMap<Integer, URI> addresses()
    {
        try
        {
            final TreeMap<Integer, URI> addresses = new TreeMap<>();
            final Matcher note = NOTE.matcher(Files.readString(folder.resolve("err")));
            while (note.find())
            {
                addresses.put(Integer.parseInt(note.group(1)), URI.create(note.group(2)));
            }

            return addresses;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Of all samples of a name that have a label. */
    double sum(final URI address, final String name, final String label)
    {
        return scrape(address).lines().filter((line) -> line.startsWith(name + "{") && line.contains(label))
            .mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    String scrape(final URI address)
    {
        try
        {
            return client.send(HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }
}

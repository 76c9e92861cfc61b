/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls in coming-from.md compile, and the types and methods that it names exist. */
class ComingFromPageTest
{
    private static final Path PAGE = Path.of("..", "docs", "coming-from.md");
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    /** A cell of ours, on the right; those on the left are another library's. */
    private static final Pattern CELL = Pattern.compile("(?m)^\\|[^|]*\\|([^|]*)\\|$");
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern CALL = Pattern.compile("\\w+\\.\\w+\\(.*\\)");
    private static final Pattern NAME = Pattern.compile("([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?");
    private static final List<String> PACKAGES = List.of("dev.transload.engine", "dev.transload.engine.lowlatency",
        "dev.transload.kernels", "dev.transload.rendezvous", "dev.transload.rendezvous.jgroups", "dev.transload.spi",
        "java.util");
    private static final String PARAMETERS = "Engine engine, LowLatencyEngine lowLatency, EngineConfig config, " +
        "DispatchHandle handle, LowLatencyDispatchResult received, LowLatencyOutput output, Tensor x, Tensor idx, " +
        "Tensor weights, Tensor answers, Tensor sums, int experts";

    @TempDir
    private Path classes;

    @Test
    void shouldHaveCallsThatCompile() throws IOException
    {
        final List<String> blocks = found(BLOCK, Files.readString(PAGE));
        final List<String> calls = code().filter((code) -> CALL.matcher(code).matches()).map((call) -> call + ";")
            .toList();
        assertEquals(1, blocks.size());
        assertTrue(calls.size() >= 5, calls::toString);
        final String imports = PACKAGES.stream().map((name) -> "import " + name + ".*;\n")
            .collect(Collectors.joining());
        final String body = Stream.concat(blocks.stream(), calls.stream()).map((each) -> "{ " + each + " }\n")
            .collect(Collectors.joining());
        PageProgram.assertCompiles(List.of(new PageProgram("Calls",
            imports + "class Calls { void make(" + PARAMETERS + ") {\n" + body + "} }")), classes);
    }

    @Test
    void shouldNameTypesAndMethodsThatExist() throws IOException
    {
        final List<String> names = code().filter((code) -> NAME.matcher(code).matches()).toList();
        assertTrue(names.size() >= 20, names::toString);
        assertEquals(List.of(), names.stream().filter((name) -> !exists(name)).toList());
    }

    private static Stream<String> code() throws IOException
    {
        return found(CELL, Files.readString(PAGE)).stream().flatMap((cell) -> found(CODE, cell).stream());
    }

    private static List<String> found(final Pattern pattern, final String text)
    {
        return pattern.matcher(text).results().map((match) -> match.group(1)).toList();
    }

    private static boolean exists(final String name)
    {
        final Matcher parts = NAME.matcher(name);
        assertTrue(parts.matches(), name);
        return PACKAGES.stream().anyMatch((where) -> hasMethod(where + "." + parts.group(1), parts.group(2)));
    }

    private static boolean hasMethod(final String type, final String method)
    {
        try
        {
            final Class<?> loaded = Class.forName(type, false, ComingFromPageTest.class.getClassLoader());
            return null == method || Arrays.stream(loaded.getMethods()).anyMatch((each) ->
                each.getName().equals(method));
        }
        catch (final ClassNotFoundException ex)
        {
            return false;
        }
    }
}

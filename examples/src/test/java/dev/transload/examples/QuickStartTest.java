/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program in docs/quick-start.md compiles, and prints what the page says. */
@Timeout(60)
class QuickStartTest
{
    private static final Path PAGE = Path.of("..", "docs", "quick-start.md");
    private static final String PROGRAM = "FourTokens";

    @TempDir
    private Path folder;

    @Test
    void shouldPrintWhatThePageSays() throws Exception
    {
        final String page = Files.readString(PAGE);
        final Matcher text = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertTrue(text.find(), "the page has no program");
        final Path source = Files.writeString(folder.resolve(PROGRAM + ".java"), text.group(1));
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final StringWriter complaints = new StringWriter();
        assertTrue(compiler.getTask(complaints, null, null,
            List.of("-d", folder.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none"),
            null, compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source)).call(),
            complaints::toString);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}))
        {
            final Class<?> program = loader.loadClass(PROGRAM);
            program.getMethod("main", String[].class).invoke(null, (Object)new String[0]);
            final Field lines = program.getDeclaredField("LINES");
            lines.setAccessible(true);
            assertEquals(Pattern.compile("(?m)^rank \\d received .*$").matcher(page).results()
                .map((line) -> line.group()).toList(), List.of((String[])lines.get(null)));
        }
    }
}

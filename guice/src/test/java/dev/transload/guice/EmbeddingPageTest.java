/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole programs in EMBEDDING.md compile. */
class EmbeddingPageTest
{
    private static final Path PAGE = Path.of("..", "docs", "EMBEDDING.md");
    private static final Pattern PROGRAM =
        Pattern.compile("```java\\n(import .*?public final class (\\w+).*?)```", Pattern.DOTALL);

    @TempDir
    private Path classes;

    private static final class Program extends SimpleJavaFileObject
    {
        private final String text;

        private Program(final String name, final String text)
        {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(final boolean isIgnoringErrors)
        {
            return text;
        }
    }

    @Test
    void shouldHaveProgramsThatCompile() throws IOException
    {
        final List<Program> programs = new ArrayList<>();
        final List<String> names = new ArrayList<>();
        final Matcher matcher = PROGRAM.matcher(Files.readString(PAGE));
        while (matcher.find())
        {
            programs.add(new Program(matcher.group(2), matcher.group(1)));
            names.add(matcher.group(2));
        }

        assertEquals(List.of("FourRanks", "OneRank"), names);
        final DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final boolean isCompiled = compiler.getTask(null, null, found,
            List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none"),
            null, programs).call();
        assertTrue(isCompiled, () -> found.getDiagnostics().toString());
    }
}

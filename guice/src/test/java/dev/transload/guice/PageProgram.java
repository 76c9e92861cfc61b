/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.guice;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A class that a page of docs/ has, or that is made of its examples. */
final class PageProgram extends SimpleJavaFileObject
{
    private final String text;

    PageProgram(final String name, final String text)
    {
        super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
        this.text = text;
    }

    @Override
    public CharSequence getCharContent(final boolean isIgnoringErrors)
    {
        return text;
    }

    /** Fails with what the compiler says. */
    static void assertCompiles(final List<PageProgram> programs, final Path classes)
    {
        final DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        final boolean isCompiled = ToolProvider.getSystemJavaCompiler().getTask(null, null, found,
            List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none"),
            null, programs).call();
        assertTrue(isCompiled, () -> found.getDiagnostics().toString());
    }
}

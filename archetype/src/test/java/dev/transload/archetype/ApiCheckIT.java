/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.archetype;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The comparison with an earlier release that the parent's profile {@code api} makes, on a module of two classes. */
@Thorough("It starts Maven several times, which fetches japicmp where it is not in the local repository.")
@Timeout(600)
class ApiCheckIT
{
    private static final String POM = """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
            <modelVersion>4.0.0</modelVersion>
            <parent>
                <groupId>dev.transload</groupId>
                <artifactId>transload-parent</artifactId>
                <version>%s</version>
                <relativePath/>
            </parent>
            <artifactId>transload-small</artifactId>
        </project>
        """;
    private static final String PUBLIC = "package dev.transload.small; public class Open { public void go() { } %s }";
    private static final String INTERNAL =
        "package dev.transload.small.internal.deep; public class Inner { public void run() { } %s }";

    private final Path folder = Path.of("target", "api-check").toAbsolutePath();
    private final Path project = folder.resolve("small");
    private BuiltArtifacts artifacts;

    @BeforeEach
    void release() throws IOException, InterruptedException
    {
        artifacts = BuiltArtifacts.in(folder);
        Files.createDirectories(project);
        Files.writeString(project.resolve("pom.xml"), POM.formatted(BuiltArtifacts.version()));
        writeTypes("public void stop() { }", "public void end() { }");
        artifacts.maven(project, "compiler:compile", "jar:jar");
        final Path baseline = folder.resolve("baseline/dev/transload/transload-small/0.1.0");
        Files.createDirectories(baseline);
        Files.move(project.resolve("target/transload-small-" + BuiltArtifacts.version() + ".jar"),
            baseline.resolve("transload-small-0.1.0.jar"));
    }

    @Test
    void shouldPassWhereAnInternalMethodIsGone() throws IOException, InterruptedException
    {
        writeTypes("public void stop() { } public void wait(int times) { }", "");
        final BuiltArtifacts.Run run = compare();
        assertTrue(run.hasPassed(), run::log);
    }

    @Test
    void shouldFailAndNameAPublicMethodThatIsGone() throws IOException, InterruptedException
    {
        writeTypes("", "public void end() { }");
        final BuiltArtifacts.Run run = compare();
        assertFalse(run.hasPassed(), run::log);
        assertTrue(run.log().contains("dev.transload.small.Open.stop():METHOD_REMOVED"), run::log);
    }

    private void writeTypes(final String inPublic, final String inInternal) throws IOException
    {
        write("dev/transload/small/Open.java", PUBLIC.formatted(inPublic));
        write("dev/transload/small/internal/deep/Inner.java", INTERNAL.formatted(inInternal));
    }

    private void write(final String name, final String text) throws IOException
    {
        final Path file = project.resolve("src/main/java").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private BuiltArtifacts.Run compare() throws IOException, InterruptedException
    {
        return artifacts.run(project, "-Papi", "-Dapi.baseline=" + folder.resolve("baseline"),
            "-Dapi.baseline-version=0.1.0", "compiler:compile", "jar:jar",
            "com.github.siom79.japicmp:japicmp-maven-plugin:cmp@api");
    }
}

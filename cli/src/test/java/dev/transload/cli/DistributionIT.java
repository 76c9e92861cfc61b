/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is installed elsewhere, run where nothing else is: in a root file system that debootstrap has made. */
@Timeout(900)
@Thorough("makes a root file system; LauncherScriptTest starts what has the layout of a distribution")
class DistributionIT
{
    private static final Path SCRIPTS = Program.scriptFile().resolveSibling("scripts");
    private static final String[] RUN = {"run", "--json", "--tokens", "64", "--hidden", "256", "--experts", "8",
        "--topk", "2", "--nodes", "2", "--ranks-per-node", "2", "--timeout", "120s"};

    @TempDir
    private static Path folder;
    private static Path root;

    @BeforeAll
    static void makeRoot() throws Exception
    {
        if (!"root".equals(System.getProperty("user.name")))
        {
            LoudSkip.because("only root may make and enter a root file system");
        }

        if (Stream.of("/usr/sbin/debootstrap", "/usr/bin/debootstrap").noneMatch((file) -> Files.exists(Path.of(file))))
        {
            LoudSkip.because("there is no debootstrap here (apt-get install debootstrap)");
        }

        root = folder.resolve("root");
        done(script("base", root.toString()));
    }

    /** JUnit would warn of each symbolic link. */
    @AfterAll
    static void removeRoot() throws Exception
    {
        if (null != root)
        {
            done(List.of("rm", "-rf", "--one-file-system", root.toString()));
        }
    }

    @Test
    void shouldRunWhereNothingIsInstalled() throws Exception
    {
        final List<String> hashes = new ArrayList<>();
        for (final String output : List.of("first", "second"))
        {
            final String said = done(script("dist", "--output", folder.resolve(output).toString()));
            hashes.add(said.lines().filter((line) -> line.startsWith("SHA-256: ")).findFirst().orElseThrow());
        }

        assertEquals(hashes.get(0), hashes.get(1));
        final Path archive = onlyFile(folder.resolve("first"));
        final String name = archive.getFileName().toString().replace(".tar.gz", "");
        assertTrue(name.matches("transload-\\d+\\.\\d+\\.\\d+.*-linux-.*"), name);
        done(List.of("tar", "xzf", archive.toString(), "-C", root.resolve("opt").toString()));
        final String program = "/opt/" + name + "/bin/transload";

        assertFalse(Files.exists(root.resolve("usr/bin/java")));
        done(List.of("bash", "-n", root + "/opt/" + name + "/share/bash-completion/completions/transload"));
        assertTrue(Files.exists(root.resolve("opt/" + name + "/share/man/man1/transload-run.1")));
        assertTrue(Files.exists(root.resolve("opt/" + name + "/share/schema/run.json")));
        final String version = inRoot(program, "--version");
        assertTrue(version.matches("transload \\d+\\.\\d+\\S*, commit \\S+, Java .*\\R"), version);
        assertVerified(inRoot(program, RUN));
        // The first call has made it there.
        try (Stream<Path> files = Files.list(root.resolve("opt/" + name + "/.transload")))
        {
            assertEquals(1, files.filter((file) -> file.toString().endsWith(".jsa")).count());
        }
    }

    /** As a container engine does: the layers one above the other, and the user and program that the image names. */
    @Test
    void shouldRunFromTheLayersOfTheImageAsAUserThatIsNotRoot() throws Exception
    {
        final String said = done(script("image", "--output", folder.resolve("image").toString()));
        final Path parts = Files.createDirectory(folder.resolve("parts"));
        final Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
        done(List.of("tar", "xf", onlyFile(folder.resolve("image")).toString(), "-C", parts.toString()));
        final ObjectMapper json = new ObjectMapper();
        final JsonNode layers = json.readTree(parts.resolve("manifest.json").toFile()).get(0).get("Layers");
        assertEquals(4, layers.size());
        for (final JsonNode layer : layers)
        {
            assertTrue(said.contains(layer.asText()), said);
            done(List.of("tar", "xzf", parts.resolve(layer.asText()).toString(), "--numeric-owner", "-C",
                unpacked.toString()));
        }

        final JsonNode config = json.readTree(parts.resolve("config.json").toFile()).get("config");
        final JsonNode labels = config.get("Labels");
        final String user = config.get("User").asText();
        final String program = config.get("Entrypoint").get(0).asText();
        assertFalse(user.isEmpty() || user.startsWith("0") || user.startsWith("root"), user);
        assertTrue(Files.exists(unpacked.resolve("usr/lib/" + done(List.of("uname", "-m")).strip() +
            "-linux-gnu/libucp.so.0")));
        assertEquals("transload " + labels.get("org.opencontainers.image.version").asText() + ", commit " +
            labels.get("org.opencontainers.image.revision").asText(),
            done(script("in-chroot", "--user", user, unpacked.toString(), program, "--version")).split(", Java")[0]);
        final List<String> run = script("in-chroot", "--user", user, unpacked.toString(), program);
        run.addAll(List.of(RUN));
        assertVerified(done(run));
        done(List.of("rm", "-rf", "--one-file-system", unpacked.toString()));
    }

    private static Path onlyFile(final Path parent) throws IOException
    {
        try (Stream<Path> files = Files.list(parent))
        {
            final List<Path> found = files.toList();
            assertEquals(1, found.size(), found.toString());
            return found.get(0);
        }
    }

    private static void assertVerified(final String summary) throws IOException
    {
        final JsonNode json = new ObjectMapper().readTree(summary);
        assertTrue(json.get("verified").asBoolean(), summary);
        assertEquals(4, json.get("ranks").size());
        assertEquals("aeron", json.at("/transports/scale_out/name").asText());
    }

    private static List<String> script(final String name, final String... arguments)
    {
        final List<String> command = new ArrayList<>(List.of(SCRIPTS.resolve(name).toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String inRoot(final String program, final String... arguments) throws Exception
    {
        final List<String> command = script("in-chroot", root.toString(), program);
        command.addAll(List.of(arguments));
        return done(command);
    }

    /** Standard output of a command, which must succeed. */
    private static String done(final List<String> command) throws IOException, InterruptedException
    {
        final Path out = folder.resolve("out");
        final Path err = folder.resolve("err");
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeIf(Program::tellsAPlace);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final Process process = builder.start();
        try
        {
            assertTrue(process.waitFor(600, TimeUnit.SECONDS), command + " must end by itself");
        }
        finally
        {
            process.destroyForcibly();
        }

        final String said = Files.readString(err);
        assertEquals(0, process.waitFor(), () -> command + " failed: " + said);
        return Files.readString(out);
    }
}

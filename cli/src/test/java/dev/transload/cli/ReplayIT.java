/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Runs that are recorded, and their replays. */
class ReplayIT
{
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    /** A defect that the class loader of the program brings in: senders end before their rows are sent. */
    private static final class Changed extends ClassLoader
    {
        private static final String NAME = "dev.transload.engine.internal.normal.OutgoingRows";

        Changed()
        {
            super(Changed.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean isResolved) throws ClassNotFoundException
        {
            if (!name.startsWith("dev.transload.engine.") && !name.startsWith("dev.transload.cli."))
            {
                return super.loadClass(name, isResolved);
            }

            synchronized (getClassLoadingLock(name))
            {
                final Class<?> loaded = findLoadedClass(name);
                return null != loaded ? loaded : define(name);
            }
        }

        private Class<?> define(final String name) throws ClassNotFoundException
        {
            try (InputStream stream = getParent().getResourceAsStream(name.replace('.', '/') + ".class"))
            {
                final byte[] bytes = NAME.equals(name) ? change(stream.readAllBytes()) : stream.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            }
            catch (final IOException ex)
            {
                throw new ClassNotFoundException(name, ex);
            }
        }

        private static byte[] change(final byte[] original)
        {
            final ClassNode node = new ClassNode();
            new ClassReader(original).accept(node, 0);
            final MethodNode method =
                node.methods.stream().filter((one) -> "isComplete".equals(one.name)).findFirst().orElseThrow();
            method.instructions.clear();
            method.tryCatchBlocks.clear();
            method.localVariables = null;
            method.instructions.add(new InsnNode(Opcodes.ICONST_1));
            method.instructions.add(new InsnNode(Opcodes.IRETURN));
            final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            node.accept(writer);
            return writer.toByteArray();
        }
    }

    private String recorded(final String... more) throws IOException, InterruptedException
    {
        final Path file = folder.resolve("world.json");
        final String[] small = {
            "run", "--tokens", "12", "--experts", "6", "--topk", "2", "--hidden", "128", "--record", file.toString()};
        final String[] all = new String[small.length + more.length];
        System.arraycopy(small, 0, all, 0, small.length);
        System.arraycopy(more, 0, all, small.length, more.length);
        final Program.End end = SmallRun.end(folder, UcxHost.SHORT_RUN, all);
        assertEquals(ExitCodes.DONE, end.exitCode(), end::err);
        final JsonNode recording = JSON.readTree(file.toFile());
        CliReference.assertValid("Recording of " + recording.get("mode").asText() + " mode", recording);
        return file.toString();
    }

    private static void change(final String file, final Consumer<ObjectNode> change) throws IOException
    {
        final ObjectNode root = (ObjectNode)JSON.readTree(Path.of(file).toFile());
        change.accept(root);
        JSON.writeValue(Path.of(file).toFile(), root);
    }

    @ParameterizedTest
    @CsvSource({"normal, 2", "low-latency, 2"})
    void shouldMakeTheCallsOfARunAgain(final String mode, final int iterations) throws Exception
    {
        final String file = recorded("--mode", mode, "--iterations", String.valueOf(iterations));
        final Program.End first = SmallRun.command("replay", file);
        final Program.End second = SmallRun.command("replay", file);

        assertEquals(ExitCodes.DONE, first.exitCode(), first::err);
        assertTrue(first.out().startsWith(mode + " mode, recorded from transload run, 12 gated tokens"), first::out);
        assertEquals(first.out(), second.out());
    }

    @Test
    void shouldShowTheSameFailureEachTime() throws Exception
    {
        final String file = recorded();
        final ByteArrayOutputStream first = new ByteArrayOutputStream();
        final ByteArrayOutputStream second = new ByteArrayOutputStream();

        assertEquals(ExitCodes.FAILED, changed(first, "replay", "--json", file));
        assertEquals(ExitCodes.FAILED, changed(second, "replay", "--json", file));
        final JsonNode failed = JSON.readTree(first.toByteArray());
        assertFalse(failed.get("verified").asBoolean());
        assertTrue(failed.get("failure").asText().contains("not dispatched after "), failed::toString);
        assertEquals(first.toString(StandardCharsets.UTF_8), second.toString(StandardCharsets.UTF_8));
        CliReference.assertKeys("replay", Set.of(), failed);
        assertTrue(CliReference.printed("replay", "--json", file, "--schedules", "3").get("verified").asBoolean());
    }

    /** Of a program whose engine has a defect. */
    private static int changed(final OutputStream out, final String... args) throws ReflectiveOperationException
    {
        final ClassLoader loader = new Changed();
        final Class<?> streams = loader.loadClass("dev.transload.cli.program.StandardStreams");
        streams.getMethod("redirect", OutputStream.class).invoke(null, out);
        final Method run =
            loader.loadClass(Main.class.getName()).getDeclaredMethod("run", String[].class, boolean.class);
        run.setAccessible(true);
        return (int)run.invoke(null, args, false);
    }

    @Test
    void shouldLoseRanksInLowLatencyOnly() throws Exception
    {
        final String lowLatency = recorded("--mode", "low-latency", "--iterations", "3");
        change(lowLatency, ReplayIT::lose);
        final Program.End masked = SmallRun.command("replay", lowLatency);
        assertEquals(ExitCodes.DONE, masked.exitCode(), masked::err);

        final String normal = recorded();
        change(normal, ReplayIT::lose);
        final Program.End refused = SmallRun.command("replay", normal);
        assertEquals(ExitCodes.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains("replayed in low-latency mode only"), refused::err);
    }

    private static void lose(final ObjectNode root)
    {
        root.putArray("faults").addObject()
            .put("rank", 2).put("what", "kill").putNull("after_cycles").put("after_calls", 1);
    }

    @Test
    void shouldRefuseWhatIsNoRecording() throws Exception
    {
        final String file = recorded();
        change(file, (root) -> ((ObjectNode)root.get("calls")).remove("cached"));
        assertRefused(file, file + ": calls.cached is missing");
        change(file, (root) -> ((ObjectNode)root.get("calls")).put("cached", "often"));
        assertRefused(file, file + ": calls.cached is of another type: must be true or false");
        change(file, (root) -> ((ObjectNode)root.get("calls")).put("cached", false).put("speed", 3));
        assertRefused(file, file + ": calls.speed is no key: known are biases, cached, iterations, script, weights");
        change(file, (root) -> ((ObjectNode)root.get("calls")).put("biases", 3).remove("speed"));
        assertRefused(file, file + ": calls.biases = 3 is not allowed: must be in [0, 2]");
        change(file, (root) ->
        {
            ((ObjectNode)root.get("calls")).put("biases", 0);
            ((ObjectNode)root.at("/settings/scale_out")).put("ring", 1);
        });
        assertRefused(file, "settings of the recording: transload.scale-out.ring = 1 could deadlock");
        change(file, (root) -> root.put("version", 2));
        assertRefused(file, file + ": version = 2 is not allowed: must be 1 for this program");
        Files.writeString(Path.of(file), "{");
        assertRefused(file, file + " is no JSON from line 1, column ");
        assertRefused(folder.resolve("none").toString(), "none cannot be read: ");
    }

    private static void assertRefused(final String file, final String part)
    {
        final Program.End end = SmallRun.command("replay", file);
        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end::err);
        assertTrue(end.err().contains(part), end::err);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--inject corrupt-row", "--hidden 65536 --tokens 4096"})
    void shouldRefuseToRecordWhatCannotBeReplayed(final String options)
    {
        final Path file = folder.resolve("world.json");
        final String[] args = ("run --in-process --tokens 12 --record " + file + " " + options)
            .replaceFirst("--tokens 12 (.*--tokens)", "$1").split(" ");
        final Program.End end = SmallRun.command(args);
        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end::err);
        assertTrue(end.err().contains("--record"), end::err);
        assertFalse(Files.exists(file));
    }
}

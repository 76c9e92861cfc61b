/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.engine.recording.RecordingFile;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A world of the property tests that fails on a mutant is recorded, and its replay fails in the same way each time. */
class RecordedMutantTest
{
    /** By name; of both modes, both kinds of memory, staged rows, and ranks that die. */
    private static final List<String> NAMES = List.of(
        "a sender ends before its rows are sent",
        "a receiver does not acquire its rings",
        "staged rows of a call before count as arrived",
        "the fence between rows and their word is left out",
        "answers are those of a source's first row",
        "rows of a rank that did not come count as received");

    /** What a test of another class loader runs: the replay of a recording, on the classes of that loader. */
    static final class Replayed
    {
        void run(final String json) throws Throwable
        {
            final Throwable failure = dev.transload.engine.replay.Replay.run(
                RecordingFile.parse(json, "a recording")).orElse(null);
            if (null != failure)
            {
                throw failure;
            }
        }
    }

    static Stream<Mutant> mutants()
    {
        return NAMES.stream().map((name) -> EngineMutants.ALL.stream()
            .filter((mutant) -> mutant.name().equals(name)).findFirst().orElseThrow());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void shouldFailInTheSameWayWhenReplayed(final Mutant mutant, final TestReporter reporter)
    {
        final Throwable failure = failure(mutant);
        final String json = json(failure);
        final String text = rootOf(failure).toString();
        assertEquals(text, rootOf(replay(json, mutant)).toString());
        assertEquals(text, rootOf(replay(json, mutant)).toString());
        assertNull(replay(json, null), "without the mutant");
        reporter.publishEntry(mutant.name(), text.lines().findFirst().orElseThrow());
    }

    /** Of its own probe, or of another world of the same test. */
    private static Throwable failure(final Mutant mutant)
    {
        assertTrue(mutant.probe().isOfASeed(), mutant::toString);
        Throwable failure = mutant.probe().run(new MutantLoader(mutant));
        for (long seed = 1; null == failure && seed <= EngineMutants.SEEDS; seed++)
        {
            failure = mutant.probe().of(seed).run(new MutantLoader(mutant));
        }

        assertNotNull(failure, mutant::toString);
        return failure;
    }

    /** Null where the world passes. */
    private static Throwable replay(final String json, final Mutant mutant)
    {
        return new Probe(Replayed.class.getName(), "run", json).run(new MutantLoader(mutant));
    }

    /** The class that says it is another loader's. */
    private static String json(final Throwable failure)
    {
        try
        {
            return (String)failure.getClass().getMethod("json").invoke(failure);
        }
        catch (final NoSuchMethodException | IllegalAccessException | InvocationTargetException ex)
        {
            throw new AssertionError("no world of the property tests failed: " + failure, ex);
        }
    }

    private static Throwable rootOf(final Throwable failure)
    {
        assertNotNull(failure, "the replay passes");
        Throwable root = failure;
        while (null != root.getCause())
        {
            root = root.getCause();
        }

        return root;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.BrokenProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A provider that is broken keeps no other from being found. */
class ServiceProvidersTest
{
    @TempDir
    private Path folder;

    /** A service of which only this test has providers. */
    public interface Greeting
    {
        /** The greeting. */
        String text();
    }

    /** Has nothing to say. */
    public static final class Mute implements Greeting
    {
        @Override
        public String text()
        {
            throw new IllegalStateException("no voice");
        }
    }

    /** Cannot be made. */
    public static final class Unborn implements Greeting
    {
        private final String text = refuse();

        private static String refuse()
        {
            throw new IllegalArgumentException("not today");
        }

        @Override
        public String text()
        {
            return text;
        }
    }

    /** Was compiled against a library that is not there. */
    public static final class Lonely implements Greeting
    {
        @Override
        public String text()
        {
            throw new NoClassDefFoundError("org/example/Library");
        }
    }

    /** Works. */
    public static final class Hello implements Greeting
    {
        @Override
        public String text()
        {
            return "hello";
        }
    }

    @Test
    void shouldGoOnBehindProvidersThatAreBroken() throws IOException
    {
        final List<String> texts = new ArrayList<>();
        final List<String> broken = BrokenProvider.ahead(folder, Greeting.class, List.of(BrokenProvider.MISSING,
            Unborn.class.getName(), ServiceProvidersTest.class.getName(), Lonely.class.getName(), Mute.class.getName(),
            Hello.class.getName()),
            () -> ServiceProviders.visit(Greeting.class, (greeting) -> texts.add(greeting.text())));
        assertEquals(List.of("hello"), texts);
        assertEquals(5, broken.size(), broken::toString);
        assertClause(broken.get(0), "its service entry is broken: ", BrokenProvider.MISSING + " not found");
        assertClause(broken.get(1), "its service entry is broken: ", "not today");
        assertClause(broken.get(2), "its service entry is broken: ", "not a subtype");
        assertClause(broken.get(3), Lonely.class.getName() + " does not fit: ", "org/example/Library");
        assertClause(broken.get(4), Mute.class.getName() + " fails: ", "no voice");
    }

    private static void assertClause(final String clause, final String start, final String reason)
    {
        assertTrue(clause.startsWith(start) && clause.contains(reason), clause);
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ThirdPartyListTest
{
    private static final Pattern ROW = Pattern.compile("\\| [^ :|]+:([^ |]+) \\| ([^ |]+) \\| [^|]+ \\|");

    @Test
    void shouldListEveryLibraryOnTheClassPath() throws IOException
    {
        final Set<String> unlisted = librariesOnTheClassPath();
        unlisted.removeAll(listed(readList()));
        assertEquals(Set.of(), unlisted, "add these to THIRD-PARTY.md");
    }

    @Test
    void shouldListNoLibraryThatIsGone() throws IOException
    {
        final Set<String> gone = listed(readList().split("\n## For tests")[0]);
        assertFalse(gone.isEmpty(), "THIRD-PARTY.md has rows");
        gone.removeAll(librariesOnTheClassPath());
        assertEquals(Set.of(), gone, "remove these from THIRD-PARTY.md, or correct their versions");
    }

    /** Tests run in the folder of their module, hence the list is one level up. */
    private static String readList() throws IOException
    {
        return Files.readString(Path.of("..", "THIRD-PARTY.md"));
    }

    private static Set<String> listed(final String text)
    {
        final Set<String> jars = new TreeSet<>();
        final Matcher row = ROW.matcher(text);
        while (row.find())
        {
            jars.add(row.group(1) + "-" + row.group(2) + ".jar");
        }
        return jars;
    }

    private static Set<String> librariesOnTheClassPath()
    {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map((entry) -> new File(entry).getName())
            .filter((name) -> name.endsWith(".jar") && !name.startsWith("transload-"))
            .collect(Collectors.toCollection(TreeSet::new));
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capability;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of rules, the kit and the mutants name the same rules. */
class RuleCoverageTest
{
    private static final Path GUIDE = Path.of("..", "docs", "WRITING-A-TRANSPORT.md");
    private static final Path API = Path.of("..", "api", "src", "main", "java");
    private static final Pattern CAPABILITY = Pattern.compile("\\| `([A-Z_]+)` \\| .+ \\| .+ \\|");
    private static final Pattern MUTANT = Pattern.compile("([A-Z]+)_(\\d+).*");
    private static final Pattern CITED = Pattern.compile("rules? ([A-Z]{3,4}-\\d+)");

    /** Rules whose mutant needs no fault: the reference for tests allocates. */
    private static final Set<String> BROKEN_BY_ALLOCATING = Set.of("POS-7", "KRN-14");

    /** Rules whose mutants are those of the engine's steps, since the stepping ones reach near ranks only. */
    private static final Set<String> BROKEN_IN_ENGINE = Set.of("STP-10", "STP-12");
    private static final Path ENGINE_MUTANTS = Path.of("..", "core-dispatch", "src", "test", "java", "dev", "transload",
        "engine", "mutants", "EngineMutants.java");

    @Test
    void shouldTestEachRuleOrSayWhyNot()
    {
        final Set<String> tested = new TreeSet<>();
        rules().forEach((id, rule) ->
        {
            assertFalse(rule.text().isBlank() || rule.intent().isBlank(), id);
            if (null == rule.untested())
            {
                tested.add(id);
            }
            else
            {
                assertTrue(rule.untested().matches("because .{20,}"), id + " has neither a test nor a reason");
            }
        });
        assertEquals(tested, kit().keySet());
    }

    @Test
    void shouldNumberRulesWithoutGapsInEachGroup()
    {
        final Map<String, Set<Integer>> numbers = new TreeMap<>();
        rules().keySet().forEach((rule) -> numbers.computeIfAbsent(rule.split("-")[0], (key) -> new TreeSet<>())
            .add(Integer.parseInt(rule.split("-")[1])));
        numbers.forEach((group, found) -> assertEquals(
            Stream.iterate(1, (i) -> i + 1).limit(found.size()).collect(Collectors.toSet()), found, group));
    }

    @Test
    void shouldHaveAMutantForEachTest() throws Exception
    {
        final Set<String> mutants = Stream.of(Class.forName("dev.transload.tck.stepping.Fault").getEnumConstants())
            .map((fault) -> MUTANT.matcher(((Enum<?>)fault).name()).replaceFirst("$1-$2"))
            .collect(Collectors.toCollection(TreeSet::new));
        mutants.addAll(BROKEN_BY_ALLOCATING);
        final String engineMutants = Files.readString(ENGINE_MUTANTS);
        kit().forEach((rule, test) ->
        {
            if (BROKEN_IN_ENGINE.contains(rule) && engineMutants.contains('"' + test + '"'))
            {
                mutants.add(rule);
            }
        });
        mutants.addAll(RendezvousMutantTest.rules());
        assertEquals(kit().keySet(), mutants);
    }

    @Test
    void shouldKnowEachRuleThatTheJavadocCites() throws IOException
    {
        final Set<String> known = rules().keySet();
        try (Stream<Path> files = Files.walk(API))
        {
            for (final Path file : files.filter((path) -> path.toString().endsWith(".java")).toList())
            {
                final Matcher matcher = CITED.matcher(Files.readString(file));
                while (matcher.find())
                {
                    assertTrue(known.contains(matcher.group(1)), file + " cites " + matcher.group(1));
                }
            }
        }
    }

    @Test
    void shouldSayWhatFollowsFromEachCapability() throws IOException
    {
        final Set<String> documented = Files.readAllLines(GUIDE).stream()
            .map(CAPABILITY::matcher).filter(Matcher::matches).map((row) -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Stream.of(Capability.values()).map(Enum::name).collect(Collectors.toCollection(TreeSet::new)),
            documented);
    }

    private static Map<String, SpiRules.Entry> rules()
    {
        final Map<String, SpiRules.Entry> rules = new TreeMap<>();
        SpiRules.groups().forEach((group) -> group.rules().forEach(
            (rule) -> assertNull(rules.put(rule.id(), rule), rule.id() + " stands twice")));
        return rules;
    }

    /** Names of test methods by rule. */
    static Map<String, String> kit()
    {
        final Map<String, String> tests = new TreeMap<>();
        for (final Class<?> kit : List.of(
            TransportConformance.class, RowKernelsConformance.class, StepKernelsConformance.class,
            RendezvousConformance.class))
        {
            for (final Method method : kit.getMethods())
            {
                final Rule rule = method.getAnnotation(Rule.class);
                if (null != rule)
                {
                    assertEquals(null, tests.put(rule.value(), method.getName()), rule.value() + " has two tests");
                    assertTrue(method.getName().startsWith(rule.value().replace("-", "").toLowerCase()),
                        method.getName() + " is not named after " + rule.value());
                }
            }
        }

        return tests;
    }
}

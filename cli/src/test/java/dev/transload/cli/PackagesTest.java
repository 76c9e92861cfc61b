/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Packages of the modules that make up the program, which are all but benchmarks, examples and the gate. Without
 * replay, whose worlds are in packages of the engine, as its tests are.
 */
class PackagesTest
{
    private static final Pattern REPLAY =
        Pattern.compile(".*/(replay/target/classes|transload-replay-[^/]*)[/!].*");
    private static final JavaClasses MAIN = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption((location) -> !location.matches(REPLAY)).importPackages("dev.transload");

    /** A package is a slice of its own, without the packages that lie below it by name. */
    @Test
    void shouldHaveNoCycles()
    {
        slices().matching("dev.transload.(**)").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void shouldSeeAllModules()
    {
        final Set<String> packages = MAIN.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
        for (final String one : List.of("spi", "kernels", "kernels.host", "rendezvous", "rendezvous.jgroups", "natives",
            "engine", "engine.internal.runtime", "reference", "tck", "transport.base", "transport.aeron",
            "transport.ucx",
            "transport.nvlink", "transport.hccs", "guice", "metrics", "cli", "cli.run"))
        {
            assertTrue(packages.contains("dev.transload." + one), one);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import dev.transload.engine.memory.Geometry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What each package may know, as its package-info says. */
class ArchitectureTest
{
    private static final String ENGINE = "dev.transload.engine..";
    private static final List<String> TRANSPORTS = List.of("aeron", "ucx", "nvlink", "hccs", "jgroups");

    /** All that lies beside the engine's class file, and none of the tests. */
    private static final JavaClasses MAIN =
        new ClassFileImporter().importUrl(Engine.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void shouldDependOnTheApiAndFewLibrariesOnly()
    {
        classes().that().resideInAPackage(ENGINE).should().onlyDependOnClassesThat().resideInAnyPackage(
            ENGINE, "dev.transload.spi", "dev.transload.kernels", "dev.transload.rendezvous",
            "dev.transload.natives", "com.typesafe.config", "org.agrona..", "org.slf4j", "jdk.jfr",
            "java..").check(MAIN);
    }

    @Test
    void shouldKeepTheReferenceApart()
    {
        classes().that().resideInAPackage("dev.transload.reference").should().onlyDependOnClassesThat()
            .resideInAnyPackage("dev.transload.reference", "java..").check(MAIN);
        noClasses().that().resideInAPackage(ENGINE).should().dependOnClassesThat()
            .resideInAPackage("dev.transload.reference").check(MAIN);
    }

    @Test
    void shouldNotNameATransport() throws IOException
    {
        for (final JavaClass one : MAIN)
        {
            if (one.getPackageName().startsWith("dev.transload.engine") && one.getSource().isPresent())
            {
                try (InputStream stream = one.getSource().get().getUri().toURL().openStream())
                {
                    final String text =
                        new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                    TRANSPORTS.forEach((name) -> assertFalse(text.contains(name), one.getName() + " names " + name));
                }
            }
        }
    }

    @Test
    void shouldKeepLibrariesWhereTheyBelong()
    {
        noClasses().that().resideOutsideOfPackage("dev.transload.engine.config").and().areNotAssignableTo(
            EngineConfig.class).and().areNotAssignableTo(LowLatencyConfig.class).should().dependOnClassesThat()
            .resideInAPackage("com.typesafe.config").check(MAIN);
        noClasses().that().resideOutsideOfPackage("dev.transload.engine.cores").should().dependOnClassesThat()
            .resideInAPackage("dev.transload.natives").check(MAIN);
        noClasses().that().resideInAnyPackage(inner("dispatch", "combine", "link", "route", "wire", "memory")).should()
            .dependOnClassesThat().resideInAPackage("org.slf4j").because("hot paths do not log").check(MAIN);
    }

    @Test
    void shouldKeepAssemblyOutOfWhatItAssembles()
    {
        noClasses().that().resideInAPackage(ENGINE).and().resideOutsideOfPackages("dev.transload.engine.assembly",
            "dev.transload.engine.lowlatency").and().areNotAssignableTo(Engine.class).should().dependOnClassesThat()
            .resideInAPackage("dev.transload.engine.assembly").check(MAIN);
        noClasses().that().resideInAnyPackage(inner("dispatch", "combine", "run", "link", "route", "wire", "memory"))
            .should().dependOnClassesThat().resideInAPackage("dev.transload.engine.config").check(MAIN);
    }

    @Test
    void shouldKeepDispatchAndCombineApart()
    {
        noClasses().that().resideInAPackage("dev.transload.engine.combine").should().dependOnClassesThat()
            .resideInAPackage("dev.transload.engine.dispatch").check(MAIN);
        noClasses().that().resideInAnyPackage(inner("dispatch", "run", "link", "route", "wire", "memory")).should()
            .dependOnClassesThat().resideInAPackage("dev.transload.engine.combine").check(MAIN);
        noClasses().that().resideInAnyPackage(inner("run", "link", "route", "wire", "memory")).should()
            .dependOnClassesThat().resideInAPackage("dev.transload.engine.dispatch").check(MAIN);
    }

    @Test
    void shouldKeepTheLowLatencyModeApartFromThePipeline()
    {
        noClasses().that().resideInAPackage("dev.transload.engine.lowlatency").should().dependOnClassesThat()
            .resideInAnyPackage(inner("dispatch", "combine", "run", "link", "route", "wire", "observe")).check(MAIN);
        noClasses().that().resideInAPackage(ENGINE).and().resideOutsideOfPackage("dev.transload.engine.lowlatency")
            .should().dependOnClassesThat().resideInAPackage("dev.transload.engine.lowlatency").check(MAIN);
    }

    @Test
    void shouldLetWireLayoutsKnowSizesAndBuffersOnly()
    {
        classes().that().resideInAPackage("dev.transload.engine.wire").should().onlyDependOnClassesThat(
            resideInAPackage("dev.transload.engine.wire").or(JavaClass.Predicates.type(Geometry.class))
            .or(resideInAPackage("org.agrona..")).or(resideInAPackage("java.."))).check(MAIN);
    }

    @Test
    void shouldLetRoutesKnowNothingOfTransports()
    {
        noClasses().that().resideInAPackage("dev.transload.engine.route").should().dependOnClassesThat()
            .resideInAnyPackage("dev.transload.spi", "dev.transload.kernels", "dev.transload.rendezvous",
            "dev.transload.engine.link", "dev.transload.engine.run", "dev.transload.engine.wire").check(MAIN);
    }

    @Test
    void shouldLetLinksAndMemoryKnowNothingOfCalls()
    {
        noClasses().that().resideInAPackage("dev.transload.engine.link").should().dependOnClassesThat()
            .resideInAnyPackage(inner("run", "route")).check(MAIN);
        noClasses().that().resideInAPackage("dev.transload.engine.memory").should().dependOnClassesThat()
            .resideInAnyPackage(inner("run", "route", "link")).check(MAIN);
    }

    /** Sizes are a leaf that both the map of memory and the layouts of what lies in it are computed from. */
    @Test
    void shouldHaveNoCyclesBetweenInnerPackages()
    {
        slices().matching("dev.transload.engine.(*)").should().beFreeOfCycles()
            .ignoreDependency(resideInAPackage("dev.transload.engine.wire"), JavaClass.Predicates.type(Geometry.class))
            .check(MAIN);
    }

    private static String[] inner(final String... names)
    {
        final String[] packages = new String[names.length];
        for (int i = 0; i < names.length; i++)
        {
            packages[i] = "dev.transload.engine." + names[i];
        }

        return packages;
    }
}

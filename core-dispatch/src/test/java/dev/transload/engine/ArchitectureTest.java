/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.transload.engine.internal.connect.TensorAllocator;
import dev.transload.engine.internal.world.Geometry;
import dev.transload.engine.internal.world.Relays;
import dev.transload.engine.internal.world.View;
import dev.transload.engine.lowlatency.LowLatencyConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What each package may know, as its package-info says. */
class ArchitectureTest
{
    private static final String ENGINE = "dev.transload.engine..";
    private static final List<String> TRANSPORTS = List.of("aeron", "ucx", "nvlink", "hccs", "jgroups");

    /** From the roof to the foundation: a package uses what stands behind it here, and nothing before it. */
    private static final List<String> FLOORS = List.of(inner("runtime"), "dev.transload.engine.lowlatency",
        inner("normal"), inner("steps"), inner("plan"), inner("ring"), inner("connect"), inner("observe"),
        inner("config"), inner("wire"), inner("world"), inner("membership"),
        "dev.transload.engine", "dev.transload.engine.cores");

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
            .resideInAnyPackage("dev.transload.reference", "java..")
            .check(new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.transload.reference"));
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
        noClasses().that().resideOutsideOfPackage(inner("config")).and().areNotAssignableTo(
            EngineConfig.class).and().areNotAssignableTo(LowLatencyConfig.class).and().areNotAssignableTo(
            EngineProvider.class).and().areNotAssignableTo(EngineConfigBuilder.class).and().areNotAssignableTo(
            TransloadConfig.class).should().dependOnClassesThat()
            .resideInAPackage("com.typesafe.config").check(MAIN);
        noClasses().that().resideOutsideOfPackage("dev.transload.engine.cores").should().dependOnClassesThat()
            .resideInAPackage("dev.transload.natives").check(MAIN);
        noClasses().that().resideInAnyPackage(all("normal", "ring", "connect", "plan", "wire", "world")).and()
            .areNotAssignableTo(TensorAllocator.class).and().doNotHaveSimpleName("EngineNews")
            .should().dependOnClassesThat().resideInAPackage("org.slf4j")
            .because("hot paths do not log").check(MAIN);
    }

    @Test
    void shouldImportDownwardsOnly()
    {
        for (int i = 1; i < FLOORS.size(); i++)
        {
            noClasses().that().resideInAPackage(FLOORS.get(i)).should().dependOnClassesThat()
                .resideInAnyPackage(FLOORS.subList(0, i).toArray(new String[0])).check(MAIN);
        }
    }

    @Test
    void shouldHaveAFloorForEachPackage()
    {
        assertEquals(Set.copyOf(FLOORS), MAIN.stream().map(JavaClass::getPackageName)
            .filter((name) -> name.startsWith("dev.transload.engine")).collect(Collectors.toSet()));
    }

    @Test
    void shouldKeepTheConfigurationLoaderOutOfThePipeline()
    {
        noClasses().that().resideInAnyPackage(all("normal", "ring", "connect", "plan", "wire", "world", "observe"))
            .should().dependOnClassesThat().resideInAPackage(inner("config")).check(MAIN);
    }

    @Test
    void shouldKeepTheLowLatencyModeApartFromThePipeline()
    {
        noClasses().that().resideInAPackage("dev.transload.engine.lowlatency").should().dependOnClassesThat()
            .resideInAnyPackage(all("normal", "runtime", "ring", "plan", "wire")).check(MAIN);
        noClasses().that().resideInAPackage(ENGINE).and().resideOutsideOfPackage("dev.transload.engine.lowlatency")
            .should().dependOnClassesThat().resideInAPackage("dev.transload.engine.lowlatency").check(MAIN);
    }

    @Test
    void shouldLetWireLayoutsKnowSizesAndBuffersOnly()
    {
        classes().that().resideInAPackage(inner("wire")).should().onlyDependOnClassesThat(
            resideInAPackage(inner("wire")).or(JavaClass.Predicates.type(Geometry.class))
            .or(JavaClass.Predicates.type(WaitCounter.class)).or(JavaClass.Predicates.type(Relays.class))
            .or(JavaClass.Predicates.type(View.class))
            .or(JavaClass.Predicates.type(EngineConfig.class))
            .or(resideInAPackage("org.agrona..")).or(resideInAPackage("java.."))).check(MAIN);
    }

    @Test
    void shouldLetPlansKnowNothingOfTransports()
    {
        noClasses().that().resideInAPackage(inner("plan")).should().dependOnClassesThat()
            .resideInAnyPackage("dev.transload.spi", "dev.transload.rendezvous", inner("ring"),
            inner("connect")).check(MAIN);
    }

    private static String inner(final String name)
    {
        return "dev.transload.engine.internal." + name;
    }

    private static String[] all(final String... names)
    {
        return Arrays.stream(names).map(ArchitectureTest::inner).toArray(String[]::new);
    }
}

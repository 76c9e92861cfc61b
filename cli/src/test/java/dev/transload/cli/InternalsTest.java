/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.transload.engine.internal.world.Geometry;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packages named internal may change at any time: who uses the public ones must not meet them. */
class InternalsTest
{
    private static final String INTERNAL = ".internal.";

    /** A user's class may inherit or call what shows an internal type here. */
    public abstract static class Showing
    {
        /** Shown. */
        protected List<Geometry> field;

        /** Hidden. */
        private Geometry hidden;

        /**
         * Shown.
         *
         * @param geometry of a world.
         */
        protected Showing(final Geometry geometry)
        {
            field = List.of(geometry);
            hidden = geometry;
        }

        /**
         * Shown.
         *
         * @return of a world.
         */
        public Geometry method()
        {
            return hidden;
        }
    }

    @Test
    void shouldNotBeShown()
    {
        assertEquals(List.of(), new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.transload").stream()
            .filter((one) -> !one.getName().contains(INTERNAL) && !one.getPackageName().startsWith("dev.transload.cli"))
            .flatMap(InternalsTest::shown).sorted().toList());
    }

    @Test
    void shouldBeNoticed()
    {
        final String name = Showing.class.getName();
        final String internal = Geometry.class.getName();
        assertEquals(List.of(name + ".<init>(" + internal + ") shows " + internal, name + ".field shows " + internal,
            name + ".method() shows " + internal),
            shown(new ClassFileImporter().importClass(Showing.class)).sorted().toList());
    }

    private static Stream<String> shown(final JavaClass one)
    {
        if (!isShown(one.getModifiers()))
        {
            return Stream.empty();
        }

        final Stream<String> above = Stream.concat(one.getSuperclass().stream(), one.getInterfaces().stream())
            .flatMap(InternalsTest::internals).map((type) -> one.getName() + " is a " + type);
        return Stream.concat(above, one.getMembers().stream().filter((member) -> isShown(member.getModifiers()))
            .flatMap((member) -> types(member).flatMap(InternalsTest::internals)
            .map((type) -> member.getFullName() + " shows " + type)).distinct());
    }

    private static boolean isShown(final Set<JavaModifier> modifiers)
    {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> types(final JavaMember member)
    {
        if (member instanceof JavaField)
        {
            return Stream.of(((JavaField)member).getType());
        }

        final JavaCodeUnit code = (JavaCodeUnit)member;
        return Stream.of(Stream.of(code.getReturnType()), code.getParameterTypes().stream(),
            code.getExceptionTypes().stream()).flatMap((types) -> types);
    }

    private static Stream<String> internals(final JavaType type)
    {
        return type.getAllInvolvedRawTypes().stream().map(JavaClass::getName).filter((name) -> name.contains(INTERNAL));
    }
}

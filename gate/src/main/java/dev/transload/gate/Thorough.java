/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.gate;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test or test class that the gate leaves out and the thorough run ({@code mvn -Pthorough verify}) has. */
@Tag(Thorough.TAG)
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface Thorough
{
    /** The tag that the build excludes. */
    String TAG = "thorough";

    /**
     * Why the gate can do without it.
     *
     * @return which test of the gate proves the same on a smaller scale, or what makes it too slow for the gate.
     */
    String value();
}

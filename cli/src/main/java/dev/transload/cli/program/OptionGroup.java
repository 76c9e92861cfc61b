/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Options that several commands share, or that belong together. Other classes have options of one command. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OptionGroup
{
    /**
     * Heading in the help, the manual pages and the reference.
     *
     * @return a title without a colon.
     */
    String value();
}

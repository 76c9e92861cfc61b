/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks the test of a rule. Each rule has one test. If the test fails, the failure message ends with the rule and the
 * intent of the rule.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Test
@ExtendWith(RuleFailure.class)
public @interface Rule
{
    /**
     * Returns the ID of the rule in {@code docs/reference/spi-rules.md}.
     *
     * @return ID of the rule, e.g. {@code ORD-2}.
     */
    String value();
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Adds the rule and its intent to the message of a test that failed. The rules are read only then. */
final class RuleFailure implements TestExecutionExceptionHandler
{
    @Override
    public void handleTestExecutionException(final ExtensionContext context, final Throwable thrown) throws Throwable
    {
        final Rule annotation = context.getRequiredTestMethod().getAnnotation(Rule.class);
        final SpiRules.Entry rule =
            null == annotation || thrown instanceof TestAbortedException ? null : SpiRules.of(annotation.value());
        if (null == rule)
        {
            throw thrown;
        }

        final String reason = null == thrown.getMessage() ? thrown.getClass().getName() : thrown.getMessage();
        final AssertionError failure = new AssertionError(
            reason + "\nRule " + rule.id() + ": " + rule.text() + "\nIntent: " + rule.intent(), thrown);
        // Reports name the line of the test that failed.
        failure.setStackTrace(thrown.getStackTrace());
        throw failure;
    }
}

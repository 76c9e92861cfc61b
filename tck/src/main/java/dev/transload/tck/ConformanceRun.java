/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the conformance kit from a program, e.g. the command line.
 * {@code ConformanceRun.transport((size) -> () -> provider)} checks a provider with the default methods of
 * {@link ConformanceFixture}. The tests run one after another on the calling thread, because they find their fixtures
 * in a thread-local variable.
 */
public final class ConformanceRun
{
    private static final ThreadLocal<IntFunction<ConformanceFixture>> TRANSPORT = new ThreadLocal<>();
    private static final ThreadLocal<Supplier<KernelsFixture>> KERNELS = new ThreadLocal<>();
    private static final ThreadLocal<IntFunction<StepsFixture>> STEPS = new ThreadLocal<>();
    private static final ThreadLocal<Supplier<RendezvousFixture>> RENDEZVOUS = new ThreadLocal<>();

    private ConformanceRun()
    {
    }

    /**
     * Checks a transport.
     *
     * @param fixtures creates a new fixture for a world size.
     * @return results of all tests.
     */
    public static ConformanceReport transport(final IntFunction<ConformanceFixture> fixtures)
    {
        return transport(fixtures, (rule) -> true);
    }

    /**
     * Checks selected rules of a transport. For example, a program can select the rules that delays could violate, and
     * check these rules with many seeds.
     *
     * @param fixtures creates a new fixture for a world size.
     * @param rules    returns whether to check the rule with a given ID.
     * @return results of the selected rules.
     */
    public static ConformanceReport transport(
        final IntFunction<ConformanceFixture> fixtures, final Predicate<String> rules)
    {
        return transport(fixtures, rules, (result) -> {});
    }

    /**
     * Checks selected rules of a transport and reports each result immediately.
     *
     * @param fixtures creates a new fixture for a world size.
     * @param rules    returns whether to check the rule with a given ID.
     * @param told     listener that receives each result on the calling thread.
     * @return results of the selected rules.
     */
    public static ConformanceReport transport(
        final IntFunction<ConformanceFixture> fixtures, final Predicate<String> rules, final Consumer<Result> told)
    {
        return run(TRANSPORT, fixtures, TransportKit.class, rules, told);
    }

    /**
     * Returns the transport rules that have a test.
     *
     * @return IDs in ascending order, e.g. {@code ORD-2}.
     */
    public static SortedSet<String> transportRules()
    {
        return Arrays.stream(TransportKit.class.getMethods()).map((method) -> method.getAnnotation(Rule.class))
            .filter(Objects::nonNull).map(Rule::value).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Checks row kernels.
     *
     * @param fixtures creates a new fixture.
     * @return results of all tests.
     */
    public static ConformanceReport kernels(final Supplier<KernelsFixture> fixtures)
    {
        return run(KERNELS, fixtures, KernelsKit.class, (rule) -> true);
    }

    /**
     * Checks kernels that execute the steps of low-latency calls.
     *
     * @param fixtures creates a new fixture for a number of ranks.
     * @param rules    returns whether to check the rule with a given ID.
     * @return results of the selected rules.
     */
    public static ConformanceReport steps(
        final IntFunction<StepsFixture> fixtures, final Predicate<String> rules)
    {
        return run(STEPS, fixtures, StepsKit.class, rules);
    }

    /**
     * Checks a rendezvous.
     *
     * @param fixtures creates a new fixture.
     * @return results of all tests.
     */
    public static ConformanceReport rendezvous(final Supplier<RendezvousFixture> fixtures)
    {
        return run(RENDEZVOUS, fixtures, RendezvousKit.class, (rule) -> true);
    }

    private static <T> ConformanceReport run(
        final ThreadLocal<T> local, final T fixtures, final Class<?> test, final Predicate<String> rules)
    {
        return run(local, fixtures, test, rules, (result) -> {});
    }

    private static <T> ConformanceReport run(
        final ThreadLocal<T> local,
        final T fixtures,
        final Class<?> test,
        final Predicate<String> rules,
        final Consumer<Result> told)
    {
        final Collector collector = new Collector(told);
        final LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(test))
            .filters((PostDiscoveryFilter)(descriptor) -> FilterResult.includedIf(
                descriptor.getSource().map(ConformanceRun::ruleOf).map(rules::test).orElse(true)))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .build();
        local.set(fixtures);
        try
        {
            LauncherFactory.create().execute(request, collector);
        }
        finally
        {
            local.remove();
        }

        if (collector.results.isEmpty())
        {
            throw new IllegalStateException("no test was found: the JUnit Jupiter engine must be on the class path");
        }

        collector.results.sort(Comparator.comparing(Result::rule));
        return new ConformanceReport(collector.results);
    }

    /** Id of the rule that a test is of, or null. */
    private static String ruleOf(final TestSource source)
    {
        final Rule rule = source instanceof final MethodSource method ?
            method.getJavaMethod().getAnnotation(Rule.class) : null;
        return null == rule ? null : rule.value();
    }

    /** The transport kit with the fixtures of the calling thread. */
    static final class TransportKit extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            return TRANSPORT.get().apply(worldSize);
        }
    }

    /** The kernels kit with the fixtures of the calling thread. */
    static final class KernelsKit extends RowKernelsConformance
    {
        @Override
        public KernelsFixture fixture()
        {
            return KERNELS.get().get();
        }
    }

    /** The steps kit with the fixtures of the calling thread. */
    static final class StepsKit extends StepKernelsConformance
    {
        @Override
        public StepsFixture fixture(final int ranks)
        {
            return STEPS.get().apply(ranks);
        }
    }

    /** The rendezvous kit with the fixtures of the calling thread. */
    static final class RendezvousKit extends RendezvousConformance
    {
        @Override
        public RendezvousFixture fixture()
        {
            return RENDEZVOUS.get().get();
        }
    }

    private static final class Collector implements TestExecutionListener
    {
        /** Words of the test framework, which do not say why a rule was skipped. */
        private static final String ASSUMPTION = "Assumption failed: ";

        private final List<Result> results = new ArrayList<>();
        private final Consumer<Result> told;

        Collector(final Consumer<Result> told)
        {
            this.told = told;
        }

        @Override
        public void executionSkipped(final TestIdentifier identifier, final String reason)
        {
            add(identifier, Status.SKIPPED, reason);
        }

        @Override
        public void executionFinished(final TestIdentifier identifier, final TestExecutionResult result)
        {
            final String reason = result.getThrowable().map(Collector::describe).orElse("");
            switch (result.getStatus())
            {
                case SUCCESSFUL:
                    add(identifier, Status.PASSED, "");
                    break;

                case ABORTED:
                    add(identifier, Status.SKIPPED, reason);
                    break;

                default:
                    add(identifier, Status.FAILED, reason);
                    break;
            }
        }

        private void add(final TestIdentifier identifier, final Status status, final String reason)
        {
            if (identifier.getSource().orElse(null) instanceof final MethodSource source && null != ruleOf(source))
            {
                final Result result = new Result(ruleOf(source), source.getMethodName(), status, reason);
                results.add(result);
                told.accept(result);
            }
        }

        private static String describe(final Throwable thrown)
        {
            final String message = thrown.getMessage();
            return null == message ? thrown.getClass().getName() :
                message.startsWith(ASSUMPTION) ? message.substring(ASSUMPTION.length()) : message;
        }
    }
}

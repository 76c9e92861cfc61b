/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.spi.ServiceProviders;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.DeviceCheck.Shown;
import dev.transload.tck.DeviceReport.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Runs device checks that the rules of the SPI do not cover: transfers of all sizes, transfers of rows, transfers in
 * both directions at once, many rounds of data followed by a flag, adds, loads, the end of a peer, and the transport's
 * own {@link DeviceChecks}. Each wait has a deadline. If a check fails, the other checks still run.
 */
public final class DeviceRun
{
    private static final String UNKNOWN = "unknown";
    private static final String REFUSED = "refused checks";

    /** Those that go through the SPI, in their order. */
    private static final List<DeviceCheck> CHECKS = List.of(
        new DeviceCheck("put-patterns", CopyChecks::putPatterns),
        new DeviceCheck("rows-random", CopyChecks::randomRows),
        new DeviceCheck("rows-neighbours", CopyChecks::neighbouringRows),
        new DeviceCheck("rows-strided", CopyChecks::stridedRows),
        new DeviceCheck("two-way", CopyChecks::twoWay),
        new DeviceCheck("data-then-flag", SignalChecks::dataThenFlag),
        new DeviceCheck("data-then-kernel", SignalChecks::dataThenKernel),
        new DeviceCheck("adds", SignalChecks::adds),
        new DeviceCheck("load", CopyChecks::load),
        new DeviceCheck("peer-exit", SignalChecks::peerExit));

    private DeviceRun()
    {
    }

    /**
     * Runs the selected checks.
     *
     * @param transport name of the transport, used to find its own checks.
     * @param setup     devices and fixtures to use.
     * @param isAsked   returns whether to run the check with a given name.
     * @param progress  receives the name of each check before it runs.
     * @param told      receives a report of all completed checks after each check.
     * @return results of the checks.
     */
    public static DeviceReport of(
        final String transport,
        final DeviceSetup setup,
        final Predicate<String> isAsked,
        final Consumer<String> progress,
        final Consumer<DeviceReport> told)
    {
        final List<String> refused = new ArrayList<>();
        final DeviceChecks own = find(transport, refused);
        progress.accept("links");
        final List<DeviceCheck> all = new ArrayList<>(CHECKS);
        if (null != own)
        {
            all.addAll(own.checks());
        }

        all.removeIf((check) -> !isAsked.test(check.name()));

        final List<DeviceReport.Link> links = CopyChecks.links(setup,
            (from, to) -> null == own ? UNKNOWN : own.link(setup.options(), from, to));
        final Map<String, String> facts = null != own ? own.describe(setup.options()) :
            refused.isEmpty() ? Map.of() : Map.of(REFUSED, String.join("; ", refused));
        final List<Check> made = new ArrayList<>();
        for (final DeviceCheck check : all)
        {
            progress.accept(check.name());
            made.add(make(check, setup));
            told.accept(new DeviceReport(facts, links, List.copyOf(made)));
        }

        return new DeviceReport(facts, links, made);
    }

    /**
     * Returns the names of all available checks.
     *
     * @param transport name of the transport, used to find its own checks.
     * @return names in the order of execution.
     */
    public static List<String> names(final String transport)
    {
        final List<DeviceCheck> all = new ArrayList<>(CHECKS);
        final DeviceChecks own = find(transport, new ArrayList<>());
        if (null != own)
        {
            all.addAll(own.checks());
        }

        return all.stream().map(DeviceCheck::name).toList();
    }

    /**
     * Runs one of the checks that use the SPI.
     *
     * @param name  name of the check.
     * @param setup devices and fixtures to use.
     * @return outcome of the check.
     */
    public static Check check(final String name, final DeviceSetup setup)
    {
        for (final DeviceCheck check : CHECKS)
        {
            if (check.name().equals(name))
            {
                return make(check, setup);
            }
        }

        throw new IllegalArgumentException(
            "name=" + name + ": checks are " + CHECKS.stream().map(DeviceCheck::name).toList());
    }

    /** Those that the transport brings; null for none. Why a provider is broken is added to {@code refused}. */
    static DeviceChecks find(final String transport, final List<String> refused)
    {
        final List<DeviceChecks> found = new ArrayList<>();
        refused.addAll(ServiceProviders.visit(DeviceChecks.class, (checks) ->
        {
            if (transport.equals(checks.transport()))
            {
                found.add(checks);
            }
        }));
        return found.isEmpty() ? null : found.get(0);
    }

    private static Check make(final DeviceCheck check, final DeviceSetup setup)
    {
        final long beginNs = System.nanoTime();
        try
        {
            final Shown shown = check.body().run(setup);
            return new Check(
                check.name(), Status.PASSED, shown.note(), System.nanoTime() - beginNs, shown.figures());
        }
        catch (final UnsupportedOperationException ex)
        {
            return new Check(check.name(), Status.SKIPPED, ex.getMessage(), System.nanoTime() - beginNs, Map.of());
        }
        catch (final RuntimeException | AssertionError ex)
        {
            final String reason = null == ex.getMessage() ? ex.toString() : ex.getMessage();
            return new Check(check.name(), Status.FAILED, reason, System.nanoTime() - beginNs, Map.of());
        }
    }
}

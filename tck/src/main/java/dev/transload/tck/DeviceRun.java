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
 * Makes devices show what the rules of the SPI leave out: bytes of all sizes, rows, both ways at once, many rounds of
 * data and flag, sums, loads, a peer's end, and what the transport brings of its own as {@link DeviceChecks}. Each wait
 * has a deadline, and a check that fails does not keep others from being made.
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
     * Make checks.
     *
     * @param transport name, by which checks of its own are looked for.
     * @param setup     of devices.
     * @param isAsked   whether a check of a name is to be made.
     * @param progress  is told the name of each check before it is made.
     * @param told      of what the devices have shown, after each check.
     * @return what the devices showed.
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
     * What there is to check.
     *
     * @param transport name, by which checks of its own are looked for.
     * @return names of checks, in the order in which they are made.
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
     * Make one of the checks that go through the SPI.
     *
     * @param name  of the check.
     * @param setup of devices.
     * @return how it ended.
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

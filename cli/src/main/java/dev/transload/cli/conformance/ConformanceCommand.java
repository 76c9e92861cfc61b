/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.BuildInfo;
import dev.transload.cli.program.CommonOptions;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.run.WorldOptions;
import dev.transload.cli.settings.DealtDevices;
import dev.transload.cli.settings.Emulation;
import dev.transload.cli.settings.Settings;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.PayloadConfig;
import dev.transload.rendezvous.LaunchEnvironment;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Result;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import dev.transload.tck.DeviceReport;
import dev.transload.tck.DeviceRun;
import dev.transload.tck.DeviceSetup;
import dev.transload.tck.processes.ProcessesFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The conformance kit against a transport of this machine. */
@Command(name = "conformance", mixinStandardHelpOptions = true,
    description = "Check a transport against the rules of the SPI on this machine, rule by rule.")
public final class ConformanceCommand implements Callable<Integer>
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HARDWARE_ROUNDS = 1_000_000;
    private static final int EMULATED_ROUNDS = 2_000;

    /** Begins a further line of a result, below the name of its test. */
    private static final String INDENTED = System.lineSeparator() + " ".repeat(18);

    @Mixin
    private CommonOptions common;

    @Parameters(index = "0", paramLabel = "NAME", description = "name of the transport")
    private String transport;

    @Option(names = "--devices", paramLabel = "N", split = ",", description = "ordinals of devices, which ranks take " +
        "in turn; with nvlink or hccs, the checks of devices also run on these devices; with other transports, a " +
        "check of devices runs only if --check names it")
    private List<Integer> devices = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "number of rounds of two checks of devices, " +
        "data-then-flag and data-then-kernel; goes with --devices (default " + HARDWARE_ROUNDS + ", or " +
        EMULATED_ROUNDS + " on an emulator)")
    private Integer rounds;

    @Option(names = "--processes", description = "run each rank except the first in a separate process, so that " +
        "rules about dead ranks are also checked")
    private boolean areProcesses;

    @Option(names = "--rule", paramLabel = "ID", split = ",", description = "check only the rules with these ids, " +
        "such as ORD-2,FAIL-1, and run no checks of devices")
    private Set<String> rules = Set.of();

    @Option(names = "--check", paramLabel = "NAME", split = ",", description = "run only the checks of devices with " +
        "these names, such as data-then-kernel, and check no rules")
    private Set<String> checks = Set.of();

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1", description = "number of runs of the tests; a " +
        "rule fails if its test fails in any run (default ${DEFAULT-VALUE})")
    private int repeat;

    @Option(names = "--junit", paramLabel = "FILE", description = "also write the results as JUnit XML")
    private Path junit;

    @Option(names = "--emulate", description = WorldOptions.EMULATE)
    private boolean isEmulated;

    @Override
    public Integer call()
    {
        checkRules();
        refuseRanks(LaunchEnvironment.detect(System.getenv()));
        final TransportRegistry registry = TransportRegistry.discover();
        final TransportProvider provider = registry.provider(transport);
        final Settings given = common.settings(Map.of());
        final Settings settings = isEmulated ?
            Emulation.apply(given, registry.providers(), Set.of(transport)) : given;
        final EngineConfig config = settings.engine();
        final DealtDevices dealt = new DealtDevices(devices, config);
        final Capabilities capabilities = probe(provider, dealt.options(provider, 0));
        if (!devices.isEmpty() && capabilities.kinds().stream().allMatch(MemoryKind::isHost))
        {
            throw CommandException.badInput("--devices: transport " + transport + " has host memory only" +
                String.join("", capabilities.notes().values().stream().map((note) -> ": " + note).toList()));
        }

        final Checked checked = new Checked();
        final Interrupts.Watch watch =
            Interrupts.tell((exitCode) -> System.exit(interrupted(exitCode, capabilities, checked)));
        try
        {
            check(provider, dealt, capabilities, checked);
            final List<String> badEnds = ProcessesFixture.endProcesses();
            if (!checked.claim())
            {
                return Interrupts.exitCode();
            }

            print(capabilities, checked, badEnds, false);
            return end(checked.rules(), checked.devices(), badEnds);
        }
        finally
        {
            watch.close();
        }
    }

    private void check(
        final TransportProvider provider, final DealtDevices dealt, final Capabilities capabilities,
        final Checked checked)
    {
        for (int run = 0; run < repeat && checks.isEmpty(); run++)
        {
            ConformanceRun.transport((worldSize) -> fixture(provider, dealt), this::isAsked, checked::add);
            checked.endRun();
        }

        if (!devices.isEmpty() && rules.isEmpty() && (!checks.isEmpty() || isOfDevices(provider)))
        {
            checked.showed(DeviceRun.of(transport, setup(provider, dealt, capabilities),
                (name) -> checks.isEmpty() || checks.contains(name),
                (check) -> common.chatter("checking devices: " + check), checked::showed));
        }
    }

    /** By a signal's thread, since the thread that runs the rules may still be in one. */
    private int interrupted(final int exitCode, final Capabilities capabilities, final Checked checked)
    {
        if (!checked.claim())
        {
            return exitCode;
        }

        if (null == checked.rules())
        {
            return common.end(Outcome.of(exitCode,
                "interrupted by " + Interrupts.name(exitCode) + " before a rule was checked: there is no report"));
        }

        try
        {
            print(capabilities, checked, List.of(), true);
        }
        catch (final CommandException ex)
        {
            return common.end(Outcome.of(ex));
        }

        return common.end(Outcome.of(exitCode, "interrupted by " + Interrupts.name(exitCode) +
            " before all was checked: the report is of what was"));
    }

    private void print(
        final Capabilities capabilities, final Checked checked, final List<String> badEnds, final boolean isInterrupted)
    {
        final ConformanceReport report = checked.rules();
        final DeviceReport shown = checked.devices();
        if (null != junit)
        {
            JunitXml.write(junit, "transload conformance " + transport, report, shown);
        }

        common.print(!common.isJson() ?
            (isInterrupted ? "INTERRUPTED: the rest was not checked" + System.lineSeparator() : "") +
            text(capabilities, report, shown) :
            json(capabilities, report, shown, badEnds, isInterrupted).toPrettyString() + System.lineSeparator());
    }

    private void checkRules()
    {
        final SortedSet<String> known = ConformanceRun.transportRules();
        for (final String rule : rules)
        {
            if (!known.contains(rule))
            {
                throw CommandException.badInput(
                    "--rule " + rule + " is not allowed: must be one of " + String.join(", ", known));
            }
        }

        final List<String> all = DeviceRun.names(transport);
        for (final String check : checks)
        {
            if (!all.contains(check))
            {
                throw CommandException.badInput(
                    "--check " + check + " is not allowed: must be one of " + String.join(", ", all));
            }
        }

        if (!checks.isEmpty() && (devices.isEmpty() || !rules.isEmpty()))
        {
            throw CommandException.badInput("--check " + String.join(",", checks) + " is not allowed " +
                (devices.isEmpty() ? "without --devices" : "together with --rule"));
        }

        if (repeat < 1)
        {
            throw CommandException.badInput("--repeat " + repeat + " is not allowed: must be positive");
        }
    }

    /** The kit starts and kills ranks itself, which ranks of another launcher would not outlive. */
    static void refuseRanks(final Optional<LaunchEnvironment> environment)
    {
        if (environment.isPresent() && environment.get().worldSize() > 1)
        {
            throw CommandException.badInput("conformance checks one host and starts the ranks itself, but " +
                environment.get().describe() + ": start one process on each host to check, e.g. with mpirun -np 1 or " +
                "srun -n 1");
        }
    }

    /** Others move memory of another transport's devices, which that one makes show what they can. */
    private static boolean isOfDevices(final TransportProvider provider)
    {
        return provider.options().stream().filter((option) -> PayloadConfig.DEVICE_OPTION.equals(option.key()))
            .noneMatch((option) -> PayloadConfig.DEVICE_UNASKED.equals(option.defaultValue()));
    }

    private boolean isAsked(final String rule)
    {
        return rules.isEmpty() || rules.contains(rule);
    }

    private ConformanceFixture fixture(final TransportProvider provider, final DealtDevices dealt)
    {
        return areProcesses ? new SpreadFixture(provider, dealt) : new CommandFixture(provider, dealt);
    }

    private DeviceSetup setup(
        final TransportProvider provider, final DealtDevices dealt, final Capabilities capabilities)
    {
        final boolean isOnEmulator = capabilities.has(Capability.EMULATED);
        final int asked = null != rounds ? rounds : isOnEmulator ? EMULATED_ROUNDS : HARDWARE_ROUNDS;
        if (asked < 1)
        {
            throw CommandException.badInput("--rounds=" + asked + " is not allowed: must be positive");
        }

        final List<Integer> byRank = 1 == devices.size() ? List.of(devices.get(0), devices.get(0)) : devices;
        return new DeviceSetup(byRank, dealt.config().optionsOf(transport), () -> fixture(provider, dealt),
            () -> new SpreadFixture(provider, dealt), asked);
    }

    /** Of checks of devices alone nothing is found, and nothing broken. */
    private boolean isConformant(final ConformanceReport report)
    {
        return report.isConformant() || !checks.isEmpty();
    }

    private int end(final ConformanceReport report, final DeviceReport shown, final List<String> badEnds)
    {
        final List<String> troubles = new ArrayList<>();
        if (!isConformant(report))
        {
            troubles.add("breaks " + String.join(", ", report.rules(Status.FAILED)));
        }

        if (null != shown && !shown.names(Status.FAILED).isEmpty())
        {
            troubles.add("fails the checks of devices " + String.join(", ", shown.names(Status.FAILED)));
        }

        if (!badEnds.isEmpty())
        {
            troubles.add("leaves something behind: " + String.join(", ", badEnds));
        }

        return troubles.isEmpty() ? ExitCodes.DONE : common.end(
            Outcome.of(ExitCodes.FAILED, "transport '" + transport + "' " + String.join(", ", troubles)));
    }

    private static Capabilities probe(final TransportProvider provider, final Map<String, String> options)
    {
        final Availability availability = provider.probe(TransportConfig.builder().options(options).build());
        if (availability instanceof final Availability.Unavailable unavailable)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE,
                "transport '" + provider.name() + "' is unavailable because " + unavailable.reason(),
                unavailable.cause());
        }

        return ((Availability.Available)availability).capabilities();
    }

    private String text(final Capabilities capabilities, final ConformanceReport report, final DeviceReport shown)
    {
        final StringBuilder text = new StringBuilder();
        text.append(String.format("%s, %s, on %s, %s%n", capabilities.transport(), capabilities.version(),
            platform(capabilities), areProcesses ? "a process for each rank" : "all ranks in one process"));
        for (final Result result : report.results())
        {
            text.append(text(result));
        }

        return text.append(String.format("%d rules passed, %d failed, %d skipped%n",
            report.rules(Status.PASSED).size(), report.rules(Status.FAILED).size(),
            report.rules(Status.SKIPPED).size()))
            .append(null == shown ? "" : DevicePart.text(shown, platform(capabilities))).toString();
    }

    /** A line, or several of a failure: the rule and its intent are below the reason. */
    static String text(final Result result)
    {
        final String reason = result.reason().strip().replaceAll("\\s*\n\\s*", INDENTED);
        return String.format("%-8s %-8s %s%s%n", result.rule(), word(result.status()), result.test(),
            reason.isEmpty() ? "" : ": " + reason);
    }

    private ObjectNode json(
        final Capabilities capabilities,
        final ConformanceReport report,
        final DeviceReport shown,
        final List<String> badEnds,
        final boolean isInterrupted)
    {
        final ObjectNode root = JSON.createObjectNode();
        root.put("transport", capabilities.transport())
            .put("version", capabilities.version())
            .put("platform", platform(capabilities))
            .put("processes", areProcesses)
            .put("interrupted", isInterrupted)
            .put("conformant", isConformant(report) && badEnds.isEmpty() && !isInterrupted);
        root.set("build", BuildInfo.own().json());
        badEnds.forEach(root.putArray("bad_ends")::add);
        final ArrayNode results = root.putArray("results");
        report.results().forEach((result) -> results.addObject()
            .put("rule", result.rule())
            .put("status", word(result.status()))
            .put("test", result.test())
            .put("reason", result.reason()));
        if (null != shown)
        {
            DevicePart.put(root, shown, platform(capabilities));
        }

        return root;
    }

    private static String platform(final Capabilities capabilities)
    {
        return capabilities.has(Capability.EMULATED) ? "emulator" : "hardware";
    }

    static String word(final Status status)
    {
        return status.name().toLowerCase(Locale.ROOT);
    }
}

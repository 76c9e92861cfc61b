/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigValue;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.outcome.Outcome;
import dev.transload.cli.program.Interrupts;
import dev.transload.cli.settings.Settings;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.DurationText;
import dev.transload.transport.base.MappedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ranks as processes of this host, each a JVM like this one. */
public final class LocalProcesses
{
    private static final Logger LOG = LoggerFactory.getLogger(LocalProcesses.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));
    private static final String ADDRESS = "transload.rendezvous.address";
    private static final String KERNELS_MODE = "transload.kernels.mode";

    /** Beyond the deadlines of opening and calling: loading input and verifying take time, but not so much a step. */
    private static final Duration STEP = Duration.ofMinutes(2);

    /** To notice a loss and to verify received rows, beyond the time in which ranks agree on the remaining ones. */
    private static final Duration NOTICE = Duration.ofSeconds(10);

    /**
     * Unless chosen otherwise, ranks of this host have more time to start than those that nobody watches: the launcher
     * sees when one of them ends or does nothing, and all that a busy machine does is to make them slow.
     */
    private static final String MEETING = "transload.rendezvous.timeout";
    private static final String MEETING_TIMEOUT = "10m";
    private static final String OPENING = "transload.timeouts.open";
    private static final String OPENING_TIMEOUT = "2m";

    /** Starts a rank's process. */
    @FunctionalInterface
    interface Starter
    {
        /** With files of its own in a folder that is deleted with the run. */
        Process start(int rank, Path files, Settings settings) throws IOException;
    }

    private final Starter starter;
    private final Progress progress;
    private final Consumer<String> chatter;

    /**
     * Prepare.
     *
     * @param mainClass of a rank's process: it reads a {@link LaunchPlan} from its standard input.
     * @param progress  to tell of the ranks' steps.
     * @param chatter   for lines that ranks and their libraries write.
     */
    public LocalProcesses(final String mainClass, final Progress progress, final Consumer<String> chatter)
    {
        this((rank, files, settings) ->
            new ProcessBuilder(new ChildCommand(mainClass, files, kernelsMode(settings)).of(rank)).start(),
            progress, chatter);
    }

    /** For tests, whose processes may be none. */
    LocalProcesses(final Starter starter, final Progress progress, final Consumer<String> chatter)
    {
        this.starter = starter;
        this.progress = progress;
        this.chatter = chatter;
    }

    /**
     * Run a task on all ranks.
     *
     * @param taskName  class of the task.
     * @param task      description.
     * @param settings  equal on all ranks.
     * @param worldSize number of ranks.
     * @return result once no process and no file is left.
     */
    public RanksResult run(
        final String taskName, final JsonNode task, final Settings settings, final int worldSize)
    {
        return run(taskName, task, settings, worldSize, PeerLoss.END, 0);
    }

    /**
     * Run a task on all ranks, which may be able to go on without one of them.
     *
     * @param taskName  class of the task.
     * @param task      description.
     * @param settings  equal on all ranks.
     * @param worldSize number of ranks.
     * @param loss      what becomes of the others when a rank is lost.
     * @param restarts  of lost ranks that are allowed in all, where that is what becomes of them.
     * @return result once no process and no file is left.
     */
    public RanksResult run(
        final String taskName, final JsonNode task, final Settings settings, final int worldSize, final PeerLoss loss,
        final int restarts)
    {
        final RunResources resources = new RunResources();
        final LinkedBlockingQueue<RankChild.News> queue = new LinkedBlockingQueue<>();
        final Thread onInterrupt = new Thread(resources::close, "transload-clean-up");
        final boolean isInterrupted;
        final RanksResult result;
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        final Interrupts.Watch watch =
            Interrupts.tell((exitCode) -> queue.add(RankChild.News.signal(exitCode)));
        try
        {
            result = run(new LaunchPlan(taskName, task, worldSize, null, null, loss, 0), settings, restarts, resources,
                queue);
        }
        finally
        {
            watch.close();
            resources.close();
            isInterrupted = !removeHook(onInterrupt);
        }

        // What ranks said of each other then is of no use: the hook killed them.
        return isInterrupted ? new RanksResult(
            Outcome.of(ExitCodes.FAILED, "interrupted while ranks were running"), List.of()) : result;
    }

    private RanksResult run(
        final LaunchPlan task,
        final Settings settings,
        final int restarts,
        final RunResources resources,
        final LinkedBlockingQueue<RankChild.News> queue)
    {
        final List<Path> folders = new ArrayList<>();
        folders.add(resources.add(PrivateFolder.create(TEMPORARY)).path());
        if (Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY))
        {
            folders.add(resources.add(PrivateFolder.create(SHARED_MEMORY)).path());
        }

        final Path files = folders.get(0);
        final Path memory = folders.get(folders.size() - 1);
        final Settings placed = settings.withDefaults(defaults(settings, files, memory, task.worldSize(), resources));
        sweptFolders(placed).forEach(resources::sweep);
        try (HostedDriver driver = HostedDriver.launchIfNeeded(placed, files))
        {
            final Settings whole = placed.withDefaults(driver.settings());
            final String[] paths = folders.stream().map(Path::toString).toArray(String[]::new);
            final LaunchPlan plan = task.placed(whole.render(), paths);
            final Restarts.Starter starting = (rank, world) ->
                start(rank, plan.with(world), files, whole, resources, queue);
            for (int rank = 0; rank < plan.worldSize(); rank++)
            {
                starting.start(rank, 0);
            }

            return new Supervisor(resources.children(), queue, timeouts(whole), progress, plan.loss(),
                new CrashReport(files, List.of(Path.of("").toAbsolutePath(), TEMPORARY)),
                new Restarts(plan.worldSize(), restarts,
                    whole.engine().livenessTimeout().multipliedBy(2).plus(NOTICE), starting)).watch();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCodes.FAILED, "interrupted while ranks were running", ex);
        }
    }

    private RankChild start(
        final int rank,
        final LaunchPlan plan,
        final Path files,
        final Settings settings,
        final RunResources resources,
        final LinkedBlockingQueue<RankChild.News> queue)
    {
        try
        {
            final RankChild child = resources.add(new RankChild(rank, starter.start(rank, files, settings)));
            child.listen(queue, chatter);
            child.tell(write(plan));
            return child;
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE,
                "rank " + rank + " cannot be started: " + ex.getMessage(), ex);
        }
    }

    private static String write(final LaunchPlan plan)
    {
        try
        {
            return JSON.writeValueAsString(plan);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("the plan cannot be written", ex);
        }
    }

    private static String kernelsMode(final Settings settings)
    {
        return settings.config().hasPath(KERNELS_MODE) ?
            settings.config().getString(KERNELS_MODE) : HostRowKernelsProvider.MODE.defaultValue();
    }

    private static Map<String, String> defaults(
        final Settings settings,
        final Path files,
        final Path memory,
        final int worldSize,
        final RunResources resources)
    {
        final Map<String, String> defaults = new HashMap<>();
        if (settings.config().getString(ADDRESS).isBlank())
        {
            defaults.put(ADDRESS, String.join(",", resources.add(Ports.reserve(worldSize)).addresses()));
        }

        defaults.put(MEETING, MEETING_TIMEOUT);
        defaults.put(OPENING, OPENING_TIMEOUT);
        if (HostedDriver.isAeronPresent())
        {
            defaults.put("transload.aeron.driver-directory", files.toString());
            defaults.put("transload.aeron.region-directory", memory.toString());
        }

        return defaults;
    }

    /** Where transports keep memory for peers: ranks that a signal ended have left it there. */
    private static Set<Path> sweptFolders(final Settings settings)
    {
        final Set<Path> folders = new TreeSet<>(Set.of(Path.of(MappedFile.DIRECTORY.defaultValue())));
        for (final Map.Entry<String, ConfigValue> entry : settings.config().entrySet())
        {
            final String text = entry.getValue().unwrapped().toString();
            // The transport itself refuses what is no path.
            if (entry.getKey().endsWith("." + MappedFile.DIRECTORY.key()) && text.indexOf('\0') < 0)
            {
                folders.add(Path.of(text));
            }
        }

        return folders;
    }

    private static Supervisor.Timeouts timeouts(final Settings settings)
    {
        final String meeting = settings.config().getString(MEETING);
        return new Supervisor.Timeouts(
            DurationText.parse(meeting).map((duration) -> duration.plus(STEP)).orElseThrow(() ->
                CommandException.badInput(MEETING + " = " + meeting + " is not allowed: must be " +
                    DurationText.ALLOWED)),
            settings.engine().openTimeout().plus(settings.engine().callTimeout()).plus(STEP));
    }

    /** False if the JVM is ending, so that the hook runs already. */
    private static boolean removeHook(final Thread hook)
    {
        try
        {
            return Runtime.getRuntime().removeShutdownHook(hook);
        }
        catch (final IllegalStateException ex)
        {
            LOG.debug("the JVM is ending, and the hook runs already", ex);
            return false;
        }
    }
}

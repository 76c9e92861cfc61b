/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final String ADDRESS = "transload.rendezvous.address";

    /** Beyond the deadlines of opening and calling: loading input and verifying take time, but not so much a step. */
    private static final Duration STEP = Duration.ofMinutes(2);

    private final String mainClass;
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
        this.mainClass = mainClass;
        this.progress = progress;
        this.chatter = chatter;
    }

    /**
     * Run a task on all ranks.
     *
     * @param taskName  of the task.
     * @param task      description.
     * @param settings  equal on all ranks.
     * @param worldSize number of ranks.
     * @return result once no process and no file is left.
     */
    public RanksResult run(
        final String taskName, final JsonNode task, final Settings settings, final int worldSize)
    {
        return run(taskName, task, settings, worldSize, PeerLoss.END);
    }

    /**
     * Run a task on all ranks, which may be able to go on without one of them.
     *
     * @param taskName  of the task.
     * @param task      description.
     * @param settings  equal on all ranks.
     * @param worldSize number of ranks.
     * @param loss      what becomes of the others when a rank is lost.
     * @return result once no process and no file is left.
     */
    public RanksResult run(
        final String taskName, final JsonNode task, final Settings settings, final int worldSize, final PeerLoss loss)
    {
        final List<RankChild> children = new ArrayList<>();
        final List<PrivateFolder> folders = new ArrayList<>();
        final Thread onInterrupt = new Thread(() -> endAll(children, folders), "transload-clean-up");
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        try
        {
            folders.add(PrivateFolder.create(Path.of(System.getProperty("java.io.tmpdir"))));
            if (Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY))
            {
                folders.add(PrivateFolder.create(SHARED_MEMORY));
            }

            final Path files = folders.get(0).path();
            final Path memory = folders.get(folders.size() - 1).path();
            final Settings placed = settings.withDefaults(defaults(settings, files, memory, worldSize));
            try (HostedDriver driver = HostedDriver.launchIfNeeded(placed, files))
            {
                final Settings whole = placed.withDefaults(driver.settings());
                final String[] paths =
                    folders.stream().map((folder) -> folder.path().toString()).toArray(String[]::new);
                final LaunchPlan plan = new LaunchPlan(taskName, task, worldSize, whole.render(), paths);
                return start(plan, children, files, silence(whole), loss);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCodes.FAILED, "interrupted while ranks were running", ex);
        }
        finally
        {
            endAll(children, folders);
            removeHook(onInterrupt);
        }
    }

    private RanksResult start(
        final LaunchPlan plan, final List<RankChild> children, final Path files, final Duration silence,
        final PeerLoss loss) throws InterruptedException
    {
        final LinkedBlockingQueue<RankChild.News> queue = new LinkedBlockingQueue<>();
        final ChildCommand command = new ChildCommand(mainClass, files);
        try
        {
            final String line = JSON.writeValueAsString(plan);
            for (int rank = 0; rank < plan.worldSize(); rank++)
            {
                final RankChild child = new RankChild(rank, new ProcessBuilder(command.of(rank)).start());
                synchronized (children)
                {
                    children.add(child);
                }

                child.listen(queue, chatter);
                child.tell(line);
            }
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("the plan cannot be written", ex);
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE,
                "rank " + children.size() + " cannot be started: " + ex.getMessage(), ex);
        }

        return new Supervisor(List.copyOf(children), queue, silence, progress, loss).watch();
    }

    private static Map<String, String> defaults(
        final Settings settings, final Path files, final Path memory, final int worldSize)
    {
        final Map<String, String> defaults = new HashMap<>();
        if (settings.config().getString(ADDRESS).isBlank())
        {
            defaults.put(ADDRESS, Ports.addresses(worldSize));
        }

        if (HostedDriver.isAeronPresent())
        {
            defaults.put("transload.aeron.driver-directory", files.toString());
            defaults.put("transload.aeron.region-directory", memory.toString());
        }

        return defaults;
    }

    private static Duration silence(final Settings settings)
    {
        return settings.engine().openTimeout().plus(settings.engine().callTimeout()).plus(STEP);
    }

    private static void endAll(final List<RankChild> children, final List<PrivateFolder> folders)
    {
        synchronized (children)
        {
            children.stream().filter(RankChild::isAlive).forEach(RankChild::kill);
            children.forEach(RankChild::awaitEnd);
        }

        folders.forEach(PrivateFolder::close);
    }

    private static void removeHook(final Thread hook)
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        catch (final IllegalStateException ex)
        {
            LOG.debug("the JVM is ending, and the hook runs already", ex);
        }
    }
}

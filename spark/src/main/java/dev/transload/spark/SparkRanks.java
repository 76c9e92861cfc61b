/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import dev.transload.engine.Engine;
import dev.transload.engine.TransloadConfig;
import dev.transload.engine.TransportContext;
import dev.transload.engine.World;
import dev.transload.engine.WorldConfig;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvous;
import dev.transload.rendezvous.jgroups.JGroupsRendezvousConfig;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportRegistry;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.BarrierTaskInfo;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;
import scala.Function1;

/**
 * World of ranks formed by the tasks of a Spark barrier stage: each task is a rank, and each host is a node. The world
 * exists for one attempt of the stage. If a task fails or an executor is lost, all tasks fail, Spark repeats the whole
 * stage, and the new tasks join a new world. Only the task's thread may use this object.
 */
public final class SparkRanks implements AutoCloseable
{
    private static final String EXPORTED = "jdk.internal.misc";

    private final Rendezvous rendezvous;
    private final TransportContext transports;
    private final TransloadConfig config;
    private final World world;
    private Engine engine;
    private int exchanges;
    private boolean isClosed;

    private SparkRanks(final Rendezvous rendezvous, final TransloadConfig config)
    {
        this.rendezvous = rendezvous;
        this.config = config;
        this.world = new World(config.engine().world(), rendezvous.rank());
        this.transports = TransportContext.open(rendezvous, TransportRegistry.discover());
    }

    /**
     * Forms a world from the tasks of this stage. The call is collective: every task calls it once per attempt. Rank 0
     * listens on a free port of its host and sends the port to the other ranks through Spark's {@code allGather}. It
     * also sends a secret that prevents other programs from joining. The world closes at the latest when the task ends.
     *
     * @param context context of the calling task.
     * @param config  settings, equal on all ranks; Spark's placement of tasks determines {@code transload.nodes} and
     *                {@code transload.ranks-per-node}.
     * @return formed world.
     * @throws ConfigurationException                       if a setting is not allowed, or the executor's JVM lacks a
     *                                                      required flag.
     * @throws dev.transload.rendezvous.RendezvousException if the ranks do not form a world.
     */
    public static SparkRanks join(final BarrierTaskContext context, final TransloadConfig config)
    {
        requireExports();
        final TaskPlaces places = TaskPlaces.of(
            Arrays.stream(context.getTaskInfos()).map(BarrierTaskInfo::address).toList());
        final WorldConfig nodes = places.world();
        final TransloadConfig settings = config.with(Map.of(
            "transload.nodes", String.valueOf(nodes.nodes()), "transload.ranks-per-node", nodes.ranksPerNode()));
        final Rendezvous rendezvous = meet(context, places, settings);
        try
        {
            final SparkRanks ranks = new SparkRanks(rendezvous, settings);
            // The other tasks may be waiting for this one in a call: they hear at once that it has left.
            context.addTaskFailureListener((TaskFailureListener)(failed, why) -> rendezvous.close());
            context.addTaskCompletionListener((TaskCompletionListener)(ended) -> ranks.close());
            return ranks;
        }
        catch (final RuntimeException | Error ex)
        {
            rendezvous.close();
            throw ex;
        }
    }

    private static Rendezvous meet(
        final BarrierTaskContext context, final TaskPlaces places, final TransloadConfig settings)
    {
        final int rank = places.rankOf(context.partitionId());
        final JGroupsRendezvousConfig.Builder builder = JGroupsRendezvousConfig.from(settings.config())
            .rank(rank).worldSize(places.world().size()).generation(context.stageAttemptNumber());
        if (0 == rank)
        {
            final String own = settings.config().getString("transload.rendezvous.secret");
            final String secret = own.isEmpty() ? UUID.randomUUID().toString() : own;
            return JGroupsRendezvous.join(builder.secret(secret).anyPort(places.hosts().get(0),
                (address) -> context.allGather(address + " " + secret)).build());
        }

        final String[] told = context.allGather("")[places.firstPartition()].split(" ", 2);
        return JGroupsRendezvous.join(builder.address(told[0]).secret(told[1]).build());
    }

    private static void requireExports()
    {
        if (!Object.class.getModule().isExported(EXPORTED, SparkRanks.class.getModule()))
        {
            throw new ConfigurationException("the JVM of the executor lacks a flag: add --add-exports java.base/" +
                EXPORTED + "=ALL-UNNAMED to spark.executor.extraJavaOptions");
        }
    }

    /**
     * Applies a function to each partition. Each partition's task is a rank with an engine. The stage is a barrier
     * stage, so Spark must be able to run as many tasks at once as the dataset has partitions
     * ({@link Dataset#repartition}). A shuffle follows, because Spark would otherwise not repeat the stage after a
     * failure. The shuffle changes the order of the rows.
     *
     * @param rows     input dataset.
     * @param settings settings by full key, e.g. {@code transload.max-hidden}; they take precedence over
     *                 {@code TRANSLOAD_} variables of the executors and over the defaults.
     * @param function function that each rank applies.
     * @param encoder  encoder for rows of the result.
     * @param <T>      type of the input rows.
     * @param <R>      type of the result rows.
     * @return result dataset, computed when Spark needs it.
     */
    public static <T, R> Dataset<R> mapPartitions(
        final Dataset<T> rows, final Map<String, String> settings, final RankFunction<T, R> function,
        final Encoder<R> encoder)
    {
        final HashMap<String, String> overrides = new HashMap<>(settings);
        final JavaRDD<T> source = rows.javaRDD();
        // A stage is a barrier stage where one of its steps is: this one takes Scala's iterators, the next one Java's.
        final RDD<T> barrier = source.rdd().barrier().mapPartitions(
            (Function1<scala.collection.Iterator<T>, scala.collection.Iterator<T>> & Serializable)(all) -> all,
            true, source.classTag());
        final JavaRDD<R> result = new JavaRDD<>(barrier, source.classTag()).mapPartitions((part) -> function.call(
            join(BarrierTaskContext.get(), TransloadConfig.load(System.getenv(), null, overrides)), part));
        // Spark repeats a barrier stage only where a shuffle follows: behind others, rows may have been used already.
        return rows.sparkSession().createDataset(result.rdd(), encoder).repartition(source.getNumPartitions());
    }

    /**
     * Returns the world, which also tells the number and the node of this rank.
     *
     * @return world of this rank.
     */
    public World world()
    {
        return world;
    }

    /**
     * Returns the settings with which this world was joined.
     *
     * @return settings.
     */
    public TransloadConfig config()
    {
        return config;
    }

    /**
     * Returns the transports of this rank, on which several engines can be opened.
     *
     * @return transport context, which closes with the world.
     */
    public TransportContext transports()
    {
        return transports;
    }

    /**
     * Returns the engine of this rank. The first call opens the engine and is collective.
     *
     * @return engine, which closes with the world.
     */
    public Engine engine()
    {
        if (null == engine)
        {
            engine = Engine.open(config.engine(), transports);
            engine.awaitReady();
        }

        return engine;
    }

    /**
     * Splits the rows of this rank into batches, with the same number of batches on all ranks. Engine calls are
     * collective, but partitions differ in length. A rank without remaining rows gets empty batches until all ranks
     * have finished. Before each batch, the ranks communicate, so every rank must take all batches.
     *
     * @param rows rows of this rank.
     * @param size largest number of rows in a batch, at least 1.
     * @param <T>  type of the rows.
     * @return batches of rows.
     */
    public <T> Iterator<List<T>> batches(final Iterator<T> rows, final int size)
    {
        if (size < 1)
        {
            throw new IllegalArgumentException("batches of " + size + " rows are not allowed: at least 1");
        }

        return new Iterator<>()
        {
            private Boolean hasNext;

            @Override
            public boolean hasNext()
            {
                hasNext = null == hasNext ? doesAny(rows.hasNext()) : hasNext;
                return hasNext;
            }

            @Override
            public List<T> next()
            {
                if (!hasNext())
                {
                    throw new NoSuchElementException("no rank has rows left");
                }

                hasNext = null;
                final List<T> batch = new ArrayList<>();
                while (batch.size() < size && rows.hasNext())
                {
                    batch.add(rows.next());
                }

                return batch;
            }
        };
    }

    private boolean doesAny(final boolean own)
    {
        return rendezvous.allGather("spark." + exchanges++, ByteBuffer.wrap(new byte[]{ (byte)(own ? 1 : 0) }),
            config.engine().callTimeout()).stream().anyMatch((one) -> 0 != one.get(0));
    }

    /** Closes engine, transports and rendezvous. The end of the task also closes them. */
    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        try
        {
            if (null != engine)
            {
                engine.close();
            }
        }
        finally
        {
            transports.close();
            rendezvous.close();
        }
    }
}

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
 * The tasks of a barrier stage as a world of ranks: a task is a rank, and hosts are nodes. The world lasts as long as
 * the attempt of the stage: where a task fails or an executor is lost, all tasks fail, Spark repeats the stage as a
 * whole, and its tasks join a new world. Used by the thread of the task.
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
     * Make the tasks of this stage a world. Collective: every task calls it, once in an attempt. Rank 0 listens at a
     * free port of its host, and tells the others by {@code allGather} at which, with a secret that keeps strangers
     * out. The world is closed when the task ends, unless it was before.
     *
     * @param context of this task.
     * @param config  settings, equal on all ranks; Spark's placement decides {@code transload.nodes} and
     *                {@code transload.ranks-per-node}.
     * @return formed world.
     * @throws ConfigurationException for settings that are wrong, or a flag that the executor's JVM lacks.
     * @throws dev.transload.rendezvous.RendezvousException where the ranks do not meet.
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
     * Apply a function to each partition, whose task is a rank with an engine. The stage is a barrier stage: as many
     * tasks must be able to run at once as the dataset has partitions ({@link Dataset#repartition}). A shuffle follows,
     * without which Spark would not repeat the stage after a failure, so that the rows come in another order.
     *
     * @param rows     dataset.
     * @param settings by full key, e.g. {@code transload.max-hidden}; {@code TRANSLOAD_} variables of the executors and
     *                 the defaults stand below them.
     * @param function of each rank.
     * @param encoder  of the result's rows.
     * @param <T>      rows of the dataset.
     * @param <R>      rows of the result.
     * @return result, computed when Spark needs it.
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
     * Place of this rank.
     *
     * @return world with the own rank.
     */
    public World world()
    {
        return world;
    }

    /**
     * Settings that this world was joined with.
     *
     * @return settings.
     */
    public TransloadConfig config()
    {
        return config;
    }

    /**
     * Transports of this rank, to open engines over: those of one rank may be several.
     *
     * @return context, closed with the world.
     */
    public TransportContext transports()
    {
        return transports;
    }

    /**
     * The engine of this rank. The first call opens it and is collective.
     *
     * @return engine, closed with the world.
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
     * The rows of this rank in as many batches as any rank has: calls of the engine are collective, but partitions
     * differ in length. A rank that has run out of rows gets empty batches until all have. Ranks ask each other before
     * each batch, so all of them must take all batches.
     *
     * @param rows of this rank.
     * @param size most rows in a batch, at least 1.
     * @param <T>  row.
     * @return batches.
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

    /** Closes engine, transports and rendezvous; the end of the task does, too. */
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

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark.example;

import dev.transload.spark.RankFunction;
import dev.transload.spark.SparkRanks;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/** Sends a dataset of tokens through a layer whose experts are spread over the tasks of a stage. */
public final class MoeInference
{
    /** Of what a rank holds: see docs/CONFIGURATION.md. */
    public static final Map<String, String> SETTINGS = Map.of(
        "transload.max-hidden", String.valueOf(Layer.HIDDEN), "transload.max-topk", String.valueOf(Layer.TOPK),
        "transload.max-experts", String.valueOf(Layer.EXPERTS));

    private static final int TOKENS = 4_000;

    private MoeInference()
    {
    }

    /**
     * Runs under spark-submit.
     *
     * @param args ranks; and "lose-executor", where rank 0 of the first attempt kills its executor meanwhile.
     */
    public static void main(final String[] args)
    {
        final int ranks = Integer.parseInt(args[0]);
        final RankFunction<Token, Token> function =
            args.length > 1 ? MoeInference::loseExecutor : new ExpertRank();
        try (SparkSession spark = SparkSession.builder().appName("MoE inference").getOrCreate())
        {
            final Encoder<Token> encoder = Encoders.bean(Token.class);
            final Dataset<Token> tokens = spark.createDataset(tokens(TOKENS), encoder).repartition(ranks);
            System.out.println(
                compare(SparkRanks.mapPartitions(tokens, SETTINGS, function, encoder).collectAsList(), TOKENS));
        }
    }

    /** Tokens with random values of BF16. */
    public static List<Token> tokens(final int count)
    {
        final Random random = new Random(1);
        return LongStream.range(0, count).mapToObj((id) -> new Token(id, values(random), "")).toList();
    }

    private static float[] values(final Random random)
    {
        final float[] values = new float[Layer.HIDDEN];
        for (int i = 0; i < Layer.HIDDEN; i++)
        {
            values[i] = (random.nextInt(256) - 128) / 64f;
        }

        return values;
    }

    /**
     * Compare with the layer on one rank.
     *
     * @param answers in any order.
     * @param count   of tokens that were sent.
     * @return sentence with the largest difference, which BF16 explains.
     * @throws IllegalStateException where it does not, or a token is missing.
     */
    public static String compare(final List<Token> answers, final int count)
    {
        final Layer layer = new Layer();
        final List<Token> sent = tokens(count);
        float largest = 0;
        for (final Token answer : answers)
        {
            final float[] dense = layer.dense(sent.get((int)answer.getId()).getValues());
            for (int i = 0; i < Layer.HIDDEN; i++)
            {
                largest = Math.max(largest, Math.abs(dense[i] - answer.getValues()[i]) / Math.max(1, dense[i]));
            }
        }

        final long different = answers.stream().map(Token::getId).distinct().count();
        final String sentence = different + " of " + answers.size() + " tokens (" +
            String.join("; ", answers.stream().map(Token::getComputedBy).distinct().toList()) +
            "), largest difference from the dense layer " + largest;
        if (answers.isEmpty() || different < answers.size() || largest > 1f / 64)
        {
            throw new IllegalStateException("wrong: " + sentence);
        }

        return sentence;
    }

    private static Iterator<Token> loseExecutor(final SparkRanks ranks, final Iterator<Token> rows) throws Exception
    {
        final Iterator<Token> answers = new ExpertRank().call(ranks, rows);
        if (0 == TaskContext.get().stageAttemptNumber() && 0 == ranks.world().rank())
        {
            answers.next();
            kill(ProcessHandle.current().pid());
        }

        return answers;
    }

    private static void kill(final long pid) throws IOException, InterruptedException
    {
        new ProcessBuilder("kill", "-KILL", String.valueOf(pid)).start().waitFor();
        throw new IllegalStateException("the executor has outlived SIGKILL");
    }
}

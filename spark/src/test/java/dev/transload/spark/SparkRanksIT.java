/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spark.example.ExpertRank;
import dev.transload.spark.example.MoeInference;
import dev.transload.spark.example.Token;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;

/** Two tasks as threads of this JVM. {@link SparkClusterIT} has executors. */
@DisabledForJreRange(minVersion = 18, disabledReason = "Spark 3.5 runs on JDK 17")
class SparkRanksIT
{
    private static final int TOKENS = 1_000;
    private static final Encoder<Token> ENCODER = Encoders.bean(Token.class);

    private static SparkSession spark;

    @BeforeAll
    static void start()
    {
        spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate();
    }

    @AfterAll
    static void stop()
    {
        spark.stop();
    }

    /** One partition has 500 rows, which are two batches, the other one 200, which are one. */
    @Test
    void shouldEqualTheDenseLayerWherePartitionsDifferInLength()
    {
        final List<Token> answers = SparkRanks.mapPartitions(
            tokens().filter((FilterFunction<Token>)(token) -> token.getId() < 700), MoeInference.SETTINGS,
            new ExpertRank(), ENCODER).collectAsList();

        assertEquals(700, answers.size());
        final String sentence = MoeInference.compare(answers, TOKENS);
        assertTrue(sentence.contains("attempt 0, 2 ranks on 1 nodes"), sentence);
    }

    @Test
    void shouldRepeatTheStageInANewWorldWhereATaskFails()
    {
        final List<Token> answers = SparkRanks.mapPartitions(
            tokens(), MoeInference.SETTINGS, SparkRanksIT::failOnce, ENCODER).collectAsList();

        assertEquals(TOKENS, answers.size());
        final String sentence = MoeInference.compare(answers, TOKENS);
        assertTrue(sentence.contains("attempt 1, 2 ranks on 1 nodes"), sentence);
    }

    @Test
    void shouldSayWhichSettingIsWrong()
    {
        final Map<String, String> wrong = new HashMap<>(MoeInference.SETTINGS);
        wrong.put("transload.chanels", "2");
        final Dataset<Token> answers = SparkRanks.mapPartitions(tokens(), wrong, new ExpertRank(), ENCODER);

        final Exception thrown = assertThrows(Exception.class, answers::collectAsList);
        assertTrue(thrown.getMessage().contains("transload.channels"), thrown.getMessage());
    }

    private static Dataset<Token> tokens()
    {
        return spark.createDataset(spark.sparkContext().parallelize(
            scala.collection.JavaConverters.asScalaBuffer(MoeInference.tokens(TOKENS)).toSeq(), 2,
            scala.reflect.ClassTag$.MODULE$.apply(Token.class)), ENCODER);
    }

    private static Iterator<Token> failOnce(final SparkRanks ranks, final Iterator<Token> rows)
    {
        final Iterator<Token> answers = new ExpertRank().call(ranks, rows);
        if (0 == TaskContext.get().stageAttemptNumber() && 1 == ranks.world().rank())
        {
            throw new IllegalStateException("once, by " + answers.next().getId());
        }

        return answers;
    }
}

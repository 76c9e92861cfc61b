/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AgreedSettingsTest
{
    /** Compared by engines of that mode alone. */
    private static final List<String> LOW_LATENCY =
        List.of("low-latency.max-tokens", "low-latency.channels", "low-latency.near");

    @Test
    void shouldCompareTheKeysWhoseCommentsSayEqualOnAllRanks()
    {
        final EngineConfig config = EngineConfig.from(ConfigFactory.empty());
        final Set<String> compared = new TreeSet<>(LOW_LATENCY);
        AgreedSettings.beforeOpening(config).forEach((line) -> compared.add(line.split(" = ")[0]));
        AgreedSettings.normal(config, false).forEach((line) -> compared.add(line.split(" = ")[0]));

        // Given by a program, not by a key.
        assertTrue(compared.remove("absent ranks"));
        final Set<String> commented = new TreeSet<>();
        final Config keys = ConfigFactory.parseResources(
            AgreedSettingsTest.class.getClassLoader(), "dev/transload/engine/engine.conf").getConfig("transload");
        keys.entrySet().forEach((entry) ->
        {
            final String comment = String.join("", entry.getValue().origin().comments());
            if (comment.contains("qual on all ranks."))
            {
                commented.add(entry.getKey());
            }
        });
        assertEquals(compared, commented);
    }
}

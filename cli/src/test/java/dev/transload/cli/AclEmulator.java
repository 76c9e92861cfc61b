/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Emulation;
import dev.transload.cli.settings.Settings;
import dev.transload.spi.TransportRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The emulated ACL runtime of this build, which calls its chip as a real one is called; and who must say so. */
final class AclEmulator
{
    static final String NAME = "hccs";

    /** Of no line without the word. */
    static final String CHIP = "Ascend910B3";

    private static final String WORD = "emulat";
    private static final Pattern ADDRESS = Pattern.compile("0x[0-9a-f]{6,}");

    private AclEmulator()
    {
    }

    /** Path of its library; leaves a test out where it is not built, as without a C compiler. */
    static String require()
    {
        try
        {
            return Emulation.apply(Settings.load(null, Map.of(), Map.of(), Map.of()),
                TransportRegistry.discover().providers(), Set.of(NAME)).engine().optionsOf(NAME).get("library");
        }
        catch (final CommandException ex)
        {
            if (ExitCodes.UNAVAILABLE == ex.exitCode())
            {
                LoudSkip.because(ex.getMessage());
            }

            throw ex;
        }
    }

    /** Variables for a short run. */
    static Map<String, String> variables()
    {
        final Map<String, String> variables = new HashMap<>(UcxHost.SHORT_RUN);
        variables.put("TRANSLOAD_ACL_EMULATOR_SOC", CHIP);
        return variables;
    }

    /** Each line with the chip, an address of a device, or what else is told by a pattern has the word. */
    static void assertSaidByLine(final String text, final Pattern figure)
    {
        assertTrue(text.contains(WORD), text);
        text.lines().filter((line) -> line.contains(CHIP) || ADDRESS.matcher(line).find() ||
            figure.matcher(line).find()).forEach((line) -> assertTrue(line.contains(WORD), line));
    }

    /** Each text with the chip or an address has the word, or stands beside a member that says so. */
    static void assertSaid(final JsonNode node)
    {
        final boolean isSaid = node.path("emulated").asBoolean() || "emulator".equals(node.path("device").asText());
        node.forEach((member) ->
        {
            final String text = member.asText();
            assertTrue(isSaid || !text.contains(CHIP) && !ADDRESS.matcher(text).find() || text.contains(WORD),
                node::toString);
            if (member.isContainerNode())
            {
                assertSaid(member);
            }
        });
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.lowlatency;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.tck.stepping.SteppingOptions;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** By which stage ranks reach each other, as far as the settings decide it. */
class RoutesTest
{
    private static Scenario twoNodes(final String staging, final boolean isApart)
    {
        final Scenario scenario = new Scenario(7);
        scenario.nodes = 2;
        scenario.ranksPerNode = 1;
        scenario.kind = SteppingOptions.OPAQUE;
        scenario.isApart = isApart;
        scenario.staging = staging;
        return scenario;
    }

    private static Throwable refused(final Scenario scenario)
    {
        Throwable thrown = assertThrows(RuntimeException.class, () -> new SteppingWorld(scenario).close());
        while (thrown instanceof CompletionException)
        {
            thrown = thrown.getCause();
        }

        return thrown;
    }

    @Test
    void shouldCrossNodesByTheTransportThatMovesTheRows()
    {
        try (SteppingWorld world = new SteppingWorld(twoNodes("never", true)))
        {
            world.scripts.forEach((script) -> script.calls(0, 2));
            world.await(world::isDone);
        }
    }

    /** Threads do the steps here, which move rows from payload to payload. */
    @Test
    void shouldNotLetTheTransportBetweenNodesMoveRowsThatAreToBeStaged()
    {
        final Throwable failure = refused(twoNodes("always", true));
        assertTrue(failure instanceof TransportUnavailableException, failure::toString);
        assertTrue(failure.getMessage().contains(
            "wire: it is to move no OPAQUE memory (transload.payload.staging = always)"), failure::getMessage);
    }

    @Test
    void shouldRefuseToStageWhereOneTransportCarriesAll()
    {
        final Throwable failure = refused(twoNodes("always", false));
        assertTrue(failure instanceof ConfigurationException, failure::toString);
        assertTrue(failure.getMessage().contains("carries both stages"), failure::getMessage);
    }
}

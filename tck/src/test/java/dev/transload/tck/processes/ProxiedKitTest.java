/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.transload.gate.Thorough;
import dev.transload.tck.ConformanceFixture;
import dev.transload.tck.ConformanceReport;
import dev.transload.tck.ConformanceReport.Status;
import dev.transload.tck.ConformanceRun;
import dev.transload.tck.Rule;
import dev.transload.tck.TransportConformance;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** What the kit finds in a transport, it finds by proxies, too; what is whole passes by them. */
class ProxiedKitTest
{
    /** They need memory of the JVM that runs the test. */
    private static final Set<String> LOCAL_ONLY = Set.of("MEM-3", "MEM-4", "MEM-5", "WIN-2");

    /** They need other options of the transport, a kill of one rank alone, kernels, or a count of allocations. */
    private static final Set<String> SKIPPED =
        Set.of("ADD-2", "CON-6", "FAIL-1", "FAIL-2", "FAIL-3", "MIS-5", "MIS-7", "ORD-7", "POS-7");

    private static String fault;

    /** The kit on a transport with the fault, so that a single rule of it can be run. */
    static final class FaultyKit extends TransportConformance
    {
        @Override
        public ConformanceFixture fixture(final int worldSize)
        {
            Assumptions.assumeTrue(null != fault, "it is run for one fault at a time");
            return new OneProcessFixture(
                Map.of("seed", "3", "fault", fault), TimeUnit.MILLISECONDS.toNanos(500));
        }
    }

    @AfterEach
    void forgetFault()
    {
        fault = null;
    }

    @Test
    void shouldPassOnTheWholeTransportButForWhatIsLocalOnly()
    {
        final ConformanceReport report = ConformanceRun.transport((worldSize) ->
            new OneProcessFixture(Map.of("seed", "7"), TimeUnit.SECONDS.toNanos(10)));
        assertEquals(LOCAL_ONLY, report.rules(Status.FAILED));
        assertEquals(SKIPPED, report.rules(Status.SKIPPED));
    }

    /** Of each sort of operation one; that the kit finds them all without proxies is shown by {@code MutantTest}. */
    @ParameterizedTest
    @ValueSource(strings = {"PRV_7", "CON_2", "CON_3", "MEM_1", "MEM_7", "SIG_2", "SIG_7", "PUT_1", "ROW_3", "LOAD_2",
        "ADD_1", "ORD_4", "ORD_8", "POS_5", "WIN_4", "MIS_2", "THR_3", "CLS_5"})
    void shouldFindWhatABrokenTransportDoesWrong(final String broken)
    {
        assertFound(broken);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CON_1", "CON_4", "CON_5", "MEM_2", "MEM_6", "MEM_8", "SIG_1", "SIG_3", "SIG_5", "SIG_6",
        "PUT_2", "PUT_3", "ROW_1", "ROW_2", "ROW_4", "LOAD_1", "ORD_2", "ORD_3", "ORD_6", "ORD_9", "POS_1", "POS_2",
        "POS_3", "POS_4", "POS_6", "WIN_1", "WIN_3", "WIN_5", "WIN_6", "MIS_1", "MIS_3", "MIS_4", "MIS_6", "CLS_1",
        "CLS_4", "CLS_6"})
    @Thorough("the proxies of all operations are used in the gate")
    void shouldFindAllElseThatABrokenTransportDoesWrong(final String broken)
    {
        assertFound(broken);
    }

    private static void assertFound(final String broken)
    {
        fault = broken;
        final String test = Stream.of(TransportConformance.class.getMethods())
            .filter((method) -> isTestOf(method, broken.replace('_', '-')))
            .findFirst().orElseThrow().getName();
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectMethod(FaultyKit.class, test))
            .execute().testEvents().assertStatistics((events) -> events.started(1).failed(1));
    }

    private static boolean isTestOf(final Method method, final String rule)
    {
        return method.isAnnotationPresent(Rule.class) && rule.equals(method.getAnnotation(Rule.class).value());
    }
}

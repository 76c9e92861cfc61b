/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Drivers and devices with troubles, each in a process of its own, since a process opens one driver for good. */
class ScenarioTest
{
    private static final long DEADLINE_SECONDS = 60;
    private static final String FAULTS = "TRANSLOAD_CUDA_EMULATOR_FAULTS";

    @Test
    void shouldBeAvailableOnTheEmulatorAndSaySo()
    {
        assertStartsWith("available: CUDA emulator ", run(Map.of(), "probe"));
    }

    @Test
    void shouldSayThatThereIsNoDriver()
    {
        final String said = run(Map.of(), "probe", "library=libno-such-driver.so.7");
        assertStartsWith("unavailable: the CUDA driver libno-such-driver.so.7 cannot be opened (", said);
        assertTrue(said.endsWith("or set transload.nvlink.library to its path"), said);
    }

    @Test
    void shouldSayThatALibraryIsNoDriver()
    {
        final String said = run(Map.of(), "probe", "library=libm.so.6");
        assertTrue(said.contains("it has no function cuInit, which drivers have from 470"), said);
    }

    @Test
    void shouldSayThatThereIsNoDevice()
    {
        final String said = run(Map.of(FAULTS, "cuInit:1=100"), "probe");
        assertTrue(said.contains("finds no usable GPU: cuInit failed on "), said);
        assertTrue(said.contains("CUDA_ERROR_NO_DEVICE (100"), said);
    }

    @Test
    void shouldSayThatTheDeviceIsNone()
    {
        final String said = run(Map.of(), "probe", "device=7");
        assertStartsWith("unavailable: there is no device 7: this process sees 2, ", said);
    }

    @Test
    void shouldSayThatTheDriverRefusesTheKernels()
    {
        final String said = run(Map.of(FAULTS, "cuModuleLoadData:1=222"), "probe");
        assertTrue(said.contains(" refuses the kernels "), said);
        assertTrue(said.contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222"), said);
    }

    @Test
    void shouldDeliverWhereNothingIsWrong()
    {
        assertEquals("delivered", run(Map.of(), "put"));
    }

    @Test
    void shouldCrossTheBusByTheCopyEngineFromTheLengthOn()
    {
        final Map<String, String> noCopyEngine = Map.of(FAULTS, "cuMemcpyAsync:1=719");

        assertEquals("delivered", run(noCopyEngine, "bus", "bytes=" + (StreamLane.BUS_MIN_BYTES - 1)));
        assertTrue(run(noCopyEngine, "bus", "bytes=" + StreamLane.BUS_MIN_BYTES).startsWith("failed: "));
    }

    @Test
    void shouldFailWithTheErrorOfAKernelThatDied()
    {
        final String said = run(Map.of(FAULTS, "launch:1=719"), "put");
        assertStartsWith("failed: transport nvlink: the channel to rank 1 ", said);
        assertTrue(said.contains("work on device 0 ("), said);
        assertTrue(said.contains("CUDA_ERROR_LAUNCH_FAILED (719"), said);
        assertTrue(said.endsWith("; then -4"), said);
    }

    @Test
    void shouldFailWithTheErrorOfALaunchThatWasRefused()
    {
        final String said = run(Map.of(FAULTS, "cuLaunchKernel:1=701"), "put");
        assertTrue(said.contains("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701"), said);
    }

    @Test
    void shouldGiveUpStalledWork()
    {
        final String said = run(Map.of(FAULTS, "launch:1=hang"), "put", "timeout-ms=200");
        assertTrue(said.contains("CUDA_ERROR_LAUNCH_TIMEOUT (702"), said);
    }

    @Test
    void shouldCompleteRowOperations()
    {
        assertEquals("completed", run(Map.of(), "zero"));
    }

    @Test
    void shouldThrowWhenAKernelOfRowsDies()
    {
        final String said = run(Map.of(FAULTS, "launch:1=719"), "zero");
        assertStartsWith("failed: row kernels of device 0 (", said);
        assertTrue(said.contains("operation 1 ended with CUDA_ERROR_LAUNCH_FAILED (719"), said);
    }

    @Test
    void shouldThrowWhenALaunchOfRowsIsRefused()
    {
        final String said = run(Map.of(FAULTS, "cuLaunchKernel:1=701"), "zero");
        assertTrue(said.contains("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701"), said);
    }

    @Test
    void shouldGiveUpStalledRowKernels()
    {
        final String said = run(Map.of(FAULTS, "launch:1=hang"), "zero", "timeout-ms=200");
        assertTrue(said.contains("CUDA_ERROR_LAUNCH_TIMEOUT (702"), said);
    }

    @Test
    void shouldDeliverIntoMappedMemory()
    {
        final String natives = Path.of("target", "emulator", "rules", "libmapped_memory.so").toString();
        assertEquals("delivered 4096 bytes across two pieces", run(Map.of(), "mapped", "natives=" + natives));
    }

    private static void assertStartsWith(final String start, final String said)
    {
        assertTrue(said.startsWith(start), said);
    }

    /** The last line that a scenario prints. */
    private static String run(final Map<String, String> environment, final String scenario, final String... options)
    {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter((flag) -> flag.startsWith("--"))
            .forEach(command::add);
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            ScenarioMain.class.getName(), scenario));
        // A later option of the same key counts.
        Emulator.options().forEach((key, value) -> command.add(key + "=" + value));
        command.addAll(List.of(options));
        try
        {
            final ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            final Process process = builder.start();
            assertTrue(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS) || null == process.destroyForcibly(),
                "the scenario did not end");
            final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            return out.substring(out.lastIndexOf('\n') + 1);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError("interrupted while a scenario ran", ex);
        }
    }
}

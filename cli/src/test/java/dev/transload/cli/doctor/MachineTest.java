/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.doctor.Finding.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest
{
    private static final long PLENTY = 1L << 40;
    private static final String LIMITS = """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            %s                20000                files
        Max locked memory         %s            unlimited            bytes
        """;

    @TempDir
    private Path root;

    @Test
    void shouldFindNothingWrongWithALargeMachine() throws IOException
    {
        write("proc/self/limits", LIMITS.formatted("65536", "unlimited"));
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
        write("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)");
        write("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand");
        write("proc/driver/nvidia/version", "NVRM version:  NVIDIA UNIX  580.1");
        Files.createDirectories(root.resolve("sys/module/nvidia_peermem"));

        final Map<String, Finding> found = findings(64, PLENTY, 8);

        found.values().forEach((finding) -> assertEquals(Status.OK, finding.status(), finding.toString()));
        assertEquals("InfiniBand, 400 Gb/sec (4X NDR), 4: ACTIVE", found.get("nic mlx5_0/1").found());
        assertEquals("NVRM version: NVIDIA UNIX 580.1", found.get("nvidia-driver").found());
        assertEquals("unlimited", found.get("memlock").found());
    }

    @Test
    void shouldSayWhatToChange() throws IOException
    {
        write("proc/self/limits", LIMITS.formatted("256", "65536"));
        write("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always advise [never]");
        write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
        write("proc/driver/nvidia/version", "NVRM version: 580");

        final Map<String, Finding> found = findings(2, 64 << 20, 4);

        for (final Map.Entry<String, String> advice : Map.of("cores", "run fewer ranks", "shared-memory", "--shm-size",
            "memlock", "ulimit -l unlimited", "open-files", "ulimit -n", "huge-pages-shared", "echo advise",
            "nic mlx5_0/1", "ibstat mlx5_0", "gpudirect", "modprobe nvidia_peermem").entrySet())
        {
            final Finding finding = found.get(advice.getKey());
            assertEquals(Status.WARN, finding.status(), finding.toString());
            assertTrue(finding.advice().contains(advice.getValue()), finding.toString());
        }
    }

    @Test
    void shouldLeaveOutWhatASystemDoesNotSay()
    {
        assertEquals(List.of("cores", "nic", "shared-memory"),
            findings(4, Long.MAX_VALUE, 2).keySet().stream().sorted().toList());
    }

    private Map<String, Finding> findings(final int cores, final long sharedFree, final int ranks)
    {
        return new Machine(root, cores, () -> sharedFree).findings(ranks).stream()
            .collect(Collectors.toMap(Finding::name, Function.identity()));
    }

    private void write(final String file, final String text) throws IOException
    {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text + "\n");
    }
}

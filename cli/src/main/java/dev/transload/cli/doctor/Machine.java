/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Linux says of this machine. Files that another system, or a container, does not have give no finding.
 *
 * @param root       folder that stands for {@code /}.
 * @param cores      that this process may use.
 * @param sharedFree bytes free in {@code /dev/shm}.
 */
record Machine(Path root, int cores, LongSupplier sharedFree)
{
    /** Of a rank's rings, signals and counts by default; see {@code ring-memory}. */
    static final long SHARED_BYTES_PER_RANK = 64L << 20;

    /** Registered memory counts against the limit: rings and the caller's tensors. */
    static final long LOCKED_BYTES_PER_RANK = 1L << 30;

    /** Of a rank: sockets to each peer, mapped files, its JVM. */
    static final long FILES_PER_RANK = 1024;

    private static final int THREADS_PER_RANK = 2;
    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");
    private static final String UNLIMITED = "unlimited";

    List<Finding> findings(final int ranks)
    {
        final List<Finding> findings = new ArrayList<>();
        findings.add(coresFor(ranks));
        findings.add(sharedMemoryFor(ranks));
        limit(findings, "memlock", "Max locked memory", LOCKED_BYTES_PER_RANK, "bytes",
            "UCX and drivers of GPUs register memory, which counts against it: ulimit -l unlimited, or LimitMEMLOCK " +
            "of the service, or memlock in /etc/security/limits.conf");
        limit(findings, "open-files", "Max open files", FILES_PER_RANK, "files",
            "a rank has sockets and mapped files for each peer: ulimit -n 65536");
        hugePages(findings);
        driver(findings, "nvidia-driver", "proc/driver/nvidia/version");
        if (Files.isDirectory(root.resolve("proc/driver/nvidia")) && !networkCards().isEmpty())
        {
            findings.add(Files.isDirectory(root.resolve("sys/module/nvidia_peermem")) ?
                Finding.ok("gpudirect", "nvidia_peermem is loaded") :
                Finding.warn("gpudirect", "nvidia_peermem is not loaded", "network cards read GPU memory with it, or " +
                    "by dmabuf where driver and kernel offer that: modprobe nvidia_peermem"));
        }

        driver(findings, "ascend-driver", "usr/local/Ascend/driver/version.info");
        networkCards(findings);
        return findings;
    }

    private Finding coresFor(final int ranks)
    {
        final String found = cores + " cores for " + ranks + " ranks of this host";
        return cores >= THREADS_PER_RANK * ranks ? Finding.ok("cores", found) :
            Finding.warn("cores", found, "a rank has a thread that calls and one that works; with fewer than " +
                THREADS_PER_RANK * ranks + " cores they wait for each other: run fewer ranks here");
    }

    private Finding sharedMemoryFor(final int ranks)
    {
        final long free = sharedFree.getAsLong();
        final String found = Long.MAX_VALUE == free ? "no /dev/shm" : mebibytes(free) + " MiB free in /dev/shm";
        if (Long.MAX_VALUE == free)
        {
            return Finding.warn("shared-memory", found, "ranks of a host share memory there; they use files of the " +
                "temporary folder instead, which may be a disk");
        }

        return free >= ranks * SHARED_BYTES_PER_RANK ? Finding.ok("shared-memory", found) :
            Finding.warn("shared-memory", found, "rings of " + ranks + " ranks take up to " +
                mebibytes(ranks * SHARED_BYTES_PER_RANK) + " MiB and are made smaller: mount -o remount,size=4G " +
                "/dev/shm; in a container --shm-size=4g, in Kubernetes an emptyDir with medium: Memory");
    }

    private void limit(
        final List<Finding> findings,
        final String name,
        final String title,
        final long least,
        final String unit,
        final String advice)
    {
        for (final String line : lines("proc/self/limits"))
        {
            if (line.startsWith(title))
            {
                final String soft = line.substring(title.length()).strip().split("\\s+")[0];
                final boolean isEnough = UNLIMITED.equals(soft) || Long.parseLong(soft) >= least;
                final String found = UNLIMITED.equals(soft) ? soft : soft + " " + unit;
                findings.add(isEnough ? Finding.ok(name, found) : Finding.warn(name, found, advice));
            }
        }
    }

    private void hugePages(final List<Finding> findings)
    {
        for (final String kind : List.of("enabled", "shmem_enabled"))
        {
            final String said = String.join(" ", lines("sys/kernel/mm/transparent_hugepage/" + kind));
            final Matcher chosen = CHOSEN.matcher(said);
            if (chosen.find())
            {
                final boolean isOff = chosen.group(1).matches("never|deny");
                final boolean isPrivate = "enabled".equals(kind);
                final String name = isPrivate ? "huge-pages" : "huge-pages-shared";
                findings.add(!isOff ? Finding.ok(name, chosen.group(1)) : Finding.warn(name, chosen.group(1),
                    "rings and tensors are faster in huge pages: echo " +
                    (isPrivate ? "madvise" : "advise") + " > /sys/kernel/mm/transparent_hugepage/" + kind));
            }
        }
    }

    private void driver(final List<Finding> findings, final String name, final String file)
    {
        final List<String> lines = lines(file);
        if (!lines.isEmpty())
        {
            findings.add(Finding.ok(name, lines.get(0).strip().replaceAll("\\s+", " ")));
        }
    }

    private void networkCards(final List<Finding> findings)
    {
        final List<Path> cards = networkCards();
        for (final Path card : cards)
        {
            for (final Path port : children(card.resolve("ports")))
            {
                final String name = card.getFileName() + "/" + port.getFileName();
                final String state = first(port.resolve("state"));
                final String found =
                    first(port.resolve("link_layer")) + ", " + first(port.resolve("rate")) + ", " + state;
                findings.add(state.toUpperCase(Locale.ROOT).endsWith("ACTIVE") ? Finding.ok("nic " + name, found) :
                    Finding.warn("nic " + name, found, "the port carries nothing: check its cable and ibstat " +
                        card.getFileName()));
            }
        }

        if (cards.isEmpty())
        {
            findings.add(
                Finding.ok("nic", "no RDMA card in /sys/class/infiniband: between hosts rows go by TCP or UDP"));
        }
    }

    private List<Path> networkCards()
    {
        return children(root.resolve("sys/class/infiniband"));
    }

    private List<String> lines(final String file)
    {
        final Path path = root.resolve(file);
        try
        {
            return Files.isReadable(path) ? Files.readAllLines(path, StandardCharsets.ISO_8859_1) : List.of();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(path + " cannot be read", ex);
        }
    }

    private String first(final Path file)
    {
        final List<String> lines = lines(root.relativize(file).toString());
        return lines.isEmpty() ? "unknown" : lines.get(0).strip();
    }

    private static List<Path> children(final Path folder)
    {
        if (!Files.isDirectory(folder))
        {
            return List.of();
        }

        try (Stream<Path> children = Files.list(folder))
        {
            return children.sorted().toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(folder + " cannot be read", ex);
        }
    }

    private static long mebibytes(final long bytes)
    {
        return bytes >> 20;
    }
}

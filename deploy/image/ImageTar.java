/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Writes an image as a tar that container engines load: a base, and on it what scripts/dist packed. Needs no registry and
 * no daemon. Started by scripts/image, from this source.
 */
public final class ImageTar
{
    private static final String ROOT = "/opt/transload";
    private static final String HOME = "/home/transload";

    private ImageTar()
    {
    }

    /** Base tar, folder of the distribution, tar to write, version, commit, seconds since 1970, architecture, user. */
    public static void main(final String[] args) throws Exception
    {
        final Path distribution = Path.of(args[1]);
        final Path output = Path.of(args[2]);
        final String version = args[3];
        final Instant time = Instant.ofEpochSecond(Long.parseLong(args[5]));
        final Path cache = Files.createTempDirectory(output.toAbsolutePath().getParent(), "cache");
        // What changes least is below.
        Jib.from(TarImage.at(Path.of(args[0])))
            .setPlatforms(Set.of(new Platform(args[6], "linux")))
            .addFileEntriesLayer(layer("java", distribution, time, (path) -> path.startsWith("jre")))
            .addFileEntriesLayer(layer("libraries", distribution, time, ImageTar::isLibrary))
            .addFileEntriesLayer(layer("transload", distribution, time,
                (path) -> !path.startsWith("jre") && !isLibrary(path)))
            .setEntrypoint(List.of(ROOT + "/bin/transload"))
            .setProgramArguments(List.of("--help"))
            .setWorkingDirectory(AbsoluteUnixPath.get(HOME))
            .setEnvironment(Map.of("HOME", HOME,
                "PATH", ROOT + "/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"))
            .setUser(args[7])
            .setCreationTime(time)
            .setLabels(Map.of("org.opencontainers.image.title", "Transload",
                "org.opencontainers.image.version", version, "org.opencontainers.image.revision", args[4],
                "org.opencontainers.image.licenses", "Apache-2.0"))
            .containerize(Containerizer.to(TarImage.at(output).named("transload:" + version))
                .setOfflineMode(true).setBaseImageLayersCache(cache).setApplicationLayersCache(cache)
                .setToolName("transload"));
        try (Stream<Path> files = Files.walk(cache))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }

    private static boolean isLibrary(final Path path)
    {
        return path.startsWith("lib") && path.toString().endsWith(".jar") &&
            !path.getFileName().toString().startsWith("transload-");
    }

    private static FileEntriesLayer layer(
        final String name, final Path distribution, final Instant time, final Predicate<Path> isChosen)
        throws IOException
    {
        final FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
        try (Stream<Path> files = Files.walk(distribution))
        {
            files.filter((file) -> Files.isRegularFile(file) && isChosen.test(distribution.relativize(file))).sorted()
                .forEach((file) -> layer.addEntry(file, AbsoluteUnixPath.get(ROOT).resolve(
                    distribution.relativize(file)), permissions(file), time));
        }

        return layer.build();
    }

    private static FilePermissions permissions(final Path file)
    {
        try
        {
            return FilePermissions.fromPosixFilePermissions(Files.getPosixFilePermissions(file));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}

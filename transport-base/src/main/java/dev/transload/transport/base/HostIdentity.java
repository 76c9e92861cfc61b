/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identifies the kernel, network namespace and process ID namespace of a process.
 *
 * @param host         boot ID of the kernel, followed by the ID of the network namespace.
 * @param pidNamespace namespace in which process IDs are valid.
 */
public record HostIdentity(String host, String pidNamespace)
{
    private static final Logger LOG = LoggerFactory.getLogger(HostIdentity.class);

    /**
     * Returns the identity of this host from the point of view of this process.
     *
     * @return identity of this host. If the operating system does not report the boot ID, the identity consists of the
     *         host's name.
     */
    public static HostIdentity local()
    {
        final String boot = firstLine(Path.of("/proc/sys/kernel/random/boot_id"));
        if (null == boot)
        {
            final String name = hostName();
            return new HostIdentity(name, name);
        }

        return new HostIdentity(boot + "/" + namespace("net"), boot + "/" + namespace("pid"));
    }

    private static String firstLine(final Path file)
    {
        try
        {
            return Files.readString(file).trim();
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be read, the host's name stands for it", file, ex);
            return null;
        }
    }

    private static String namespace(final String kind)
    {
        try
        {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)).toString();
        }
        catch (final IOException ex)
        {
            LOG.debug("namespace {} is unknown", kind, ex);
            return kind;
        }
    }

    private static String hostName()
    {
        try
        {
            return InetAddress.getLocalHost().getHostName();
        }
        catch (final IOException ex)
        {
            LOG.debug("this host has no name", ex);
            return "localhost";
        }
    }
}

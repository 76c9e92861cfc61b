/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import java.io.IOException;
import java.util.List;

/** Two network namespaces with a wire between them, where the kernel and the user's rights allow that. */
final class Namespaces implements AutoCloseable
{
    private final String prefix = "transload-" + ProcessHandle.current().pid() + "-";

    private Namespaces()
    {
    }

    static Namespaces create()
    {
        final Namespaces namespaces = new Namespaces();
        final String first = namespaces.name(0);
        final String second = namespaces.name(1);
        final boolean isMade = run("ip", "netns", "add", first) && run("ip", "netns", "add", second) &&
            run("ip", "link", "add", "tl0", "netns", first, "type", "veth", "peer", "name", "tl1", "netns", second) &&
            up(first, "tl0", 0) && up(second, "tl1", 1);
        if (!isMade)
        {
            namespaces.close();
        }

        return isMade ? namespaces : null;
    }

    static String address(final int index)
    {
        return "10.77.0." + (index + 1);
    }

    List<String> enter(final int index)
    {
        return List.of("ip", "netns", "exec", name(index));
    }

    @Override
    public void close()
    {
        run("ip", "netns", "delete", name(0));
        run("ip", "netns", "delete", name(1));
    }

    private static boolean up(final String namespace, final String device, final int index)
    {
        return run("ip", "-n", namespace, "address", "add", address(index) + "/24", "dev", device) &&
            run("ip", "-n", namespace, "link", "set", device, "up") &&
            run("ip", "-n", namespace, "link", "set", "lo", "up");
    }

    private static boolean run(final String... command)
    {
        try
        {
            return 0 == new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        }
        catch (final IOException ex)
        {
            return false;
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private String name(final int index)
    {
        return prefix + index;
    }
}

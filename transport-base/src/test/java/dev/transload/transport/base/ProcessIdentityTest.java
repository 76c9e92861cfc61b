/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessIdentityTest
{
    private final ProcessIdentity own = ProcessIdentity.local();

    @Test
    void shouldKnowThisProcess()
    {
        assertEquals(ProcessHandle.current().pid(), own.pid());
        assertEquals(own, ProcessIdentity.local());
        assertTrue(own.sharesHostWith(ProcessIdentity.local()));
        assertTrue(own.canSee(ProcessIdentity.local()));
        assertFalse(own.isGone());
    }

    @Test
    void shouldTellHostsAndNamespacesApart()
    {
        final HostIdentity host = own.host();
        final ProcessIdentity contained =
            new ProcessIdentity(1, 0, new HostIdentity(host.host(), "another namespace"));
        final ProcessIdentity far = new ProcessIdentity(1, 0, new HostIdentity("another", host.pidNamespace()));
        assertTrue(own.sharesHostWith(contained));
        assertFalse(own.canSee(contained));
        assertFalse(own.sharesHostWith(far));
    }

    @Test
    void shouldSeeThatAProcessIsGone() throws IOException, InterruptedException
    {
        final Process child = new ProcessBuilder("sleep", "1000").start();
        final ProcessIdentity identity =
            new ProcessIdentity(child.pid(), ProcessStart.of(child.pid()), own.host());
        assertFalse(identity.isGone());
        child.destroyForcibly().waitFor();
        assertTrue(identity.isGone());
    }

    @Test
    void shouldTellTheStartOfAProcessWhateverTheWallClockDoes() throws IOException, InterruptedException
    {
        final Process child = new ProcessBuilder("sleep", "1000").start();
        final long ticks = ProcessStart.of(child.pid());
        assertTrue(ticks >= own.start(), () -> "a child started at " + ticks + ", its parent at " + own.start());
        assertEquals(ticks, ProcessStart.of(child.pid()));
        child.destroyForcibly().waitFor();
        assertEquals(0, ProcessStart.of(child.pid()));
    }

    @Test
    void shouldNotTakeALaterProcessWithTheSameNumberForTheOldOne()
    {
        assertNotEquals(0, own.start());
        assertTrue(new ProcessIdentity(own.pid(), own.start() - 1, own.host()).isGone());
        assertFalse(new ProcessIdentity(own.pid(), 0, own.host()).isGone(), "an unknown start proves nothing");
    }
}

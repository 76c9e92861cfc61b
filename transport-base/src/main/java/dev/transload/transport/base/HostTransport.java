/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A transport between the ranks of one host that has no control messages of its own: they go by {@link SocketMedium},
 * in a private directory where host memory for peers lives too. What a dead peer left there is deleted.
 * <p>
 * Its constructor ends with {@link #start}.
 */
public abstract class HostTransport extends AbstractTransport implements ControlHooks
{
    private final HostResources resources;
    private final OrphanedDirectories orphaned = new OrphanedDirectories();
    private final Map<Long, Reachability> verdicts = new ConcurrentHashMap<>();

    /**
     * Open, without a thread.
     *
     * @param config       of the transport.
     * @param capabilities that were promised.
     * @param resources    which this transport gives back when it closes.
     */
    protected HostTransport(
        final TransportConfig config, final Capabilities capabilities, final HostResources resources)
    {
        super(config, capabilities, resources.identity(), resources.identity());
        this.resources = resources;
    }

    /**
     * Begin to listen to peers, once everything that their requests need is there.
     *
     * @param idle strategy of the transport's thread.
     */
    protected final void start(final AgentIdle idle)
    {
        control(resources.medium(), this, idle);
        resources.medium().reportTo((peer) -> agent().reportFailed(
            peer, "its process ended or closed its control socket", TransportException.NO_STATUS, null));
        agent().start();
    }

    /**
     * The private directory.
     *
     * @return this rank's, which is deleted at the end.
     */
    protected final PrivateDirectory directory()
    {
        return resources.directory();
    }

    /**
     * The private directory of a rank.
     *
     * @param peer that may be this rank.
     * @return path.
     */
    protected final String directoryOf(final PeerIdentity peer)
    {
        return resources.directoryOf().apply(peer);
    }

    @Override
    protected final Reachability reach(final PeerIdentity peer)
    {
        return verdicts.computeIfAbsent(peer.transportId(), (id) -> judge(peer));
    }

    /**
     * Whether another rank of this host is reached, whose private directory can be opened; asked once for each.
     *
     * @param peer another rank.
     * @return verdict; its reason is a clause.
     */
    protected Reachability reachOnHost(final PeerIdentity peer)
    {
        return new Reachability(true, "same host, mapped memory");
    }

    /** {@inheritDoc} Overriding methods call it. */
    @Override
    public void onPeerFailed(final PeerIdentity peer)
    {
        orphaned.add(directoryOf(peer));
    }

    /** {@inheritDoc} Overriding methods call it. */
    @Override
    public void onHeartbeat()
    {
        orphaned.cleanUp();
    }

    /** {@inheritDoc} Overriding methods end with it. */
    @Override
    protected void release()
    {
        directory().close();
    }

    private Reachability judge(final PeerIdentity peer)
    {
        if (identity().isSame(peer))
        {
            return new Reachability(true, "own memory");
        }

        if (!identity().process().sharesHostWith(peer.process()))
        {
            return new Reachability(false, "it is on another host");
        }

        final String obstacle = PrivateDirectory.obstacle(directoryOf(peer));
        return null == obstacle ? reachOnHost(peer) : new Reachability(false, obstacle);
    }
}

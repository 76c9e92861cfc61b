/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import dev.transload.spi.Capabilities;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Base class of transports that connect ranks of one host and whose library has no control messages.
 * {@link SocketMedium} carries the control messages. A private directory contains the socket of the medium and the host
 * memory that the transport shares with peers. The transport deletes directories that failed peers left behind.
 * <p>
 * The constructor of a subclass must end with a call of {@link #start}.
 */
public abstract class HostTransport extends AbstractTransport implements ControlHooks
{
    private final HostResources resources;
    private final OrphanedDirectories orphaned = new OrphanedDirectories();
    private final Map<Long, Reachability> verdicts = new ConcurrentHashMap<>();

    /**
     * Creates an open transport whose control thread does not run yet.
     *
     * @param config       configuration of the transport.
     * @param capabilities capabilities that the provider promised.
     * @param resources    resources that this transport releases when it closes.
     */
    protected HostTransport(
        final TransportConfig config, final Capabilities capabilities, final HostResources resources)
    {
        super(config, capabilities, resources.identity(), resources.identity());
        this.resources = resources;
    }

    /**
     * Starts to accept requests of peers. Everything that these requests need must be initialized before this call.
     *
     * @param idle idle strategy of the transport's thread.
     */
    protected final void start(final AgentIdle idle)
    {
        control(resources.medium(), this, idle);
        resources.medium().reportTo((peer) -> agent().reportFailed(
            peer, "its process ended or closed its control socket", TransportException.NO_STATUS, null));
        agent().start();
    }

    /**
     * Returns the private directory of this rank.
     *
     * @return private directory, which is deleted when the transport closes.
     */
    protected final PrivateDirectory directory()
    {
        return resources.directory();
    }

    /**
     * Returns the path of a rank's private directory.
     *
     * @param peer identity of the peer, which may be this rank.
     * @return path of the directory.
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
     * Decides whether another rank of this host can be reached. This method is called only if the private directory of
     * that rank is accessible, and at most once for each peer's transport.
     *
     * @param peer identity of another rank on this host.
     * @return verdict with a reason. The reason for a negative verdict is a clause, such as <i>its device 3 is hidden
     *         from this process</i>.
     */
    protected Reachability reachOnHost(final PeerIdentity peer)
    {
        return new Reachability(true, "same host, mapped memory");
    }

    /** {@inheritDoc} An overriding method must call {@code super.onPeerFailed}. */
    @Override
    public void onPeerFailed(final PeerIdentity peer)
    {
        orphaned.add(directoryOf(peer));
    }

    /** {@inheritDoc} An overriding method must call {@code super.onHeartbeat}. */
    @Override
    public void onHeartbeat()
    {
        orphaned.cleanUp();
    }

    /** {@inheritDoc} An overriding method must call {@code super.release} at its end. */
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

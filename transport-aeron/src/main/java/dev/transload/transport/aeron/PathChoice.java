/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.PrivateDirectory;

/**
 * The one place that decides how a peer is reached.
 *
 * @param path   chosen, or null when the peer cannot be reached.
 * @param reason one clause, why.
 */
record PathChoice(DataPath path, String reason)
{
    static final PathChoice OWN = new PathChoice(DataPath.MAPPED, "own memory");

    static PathChoice decide(final AeronOptions options, final PeerIdentity own, final PeerIdentity peer)
    {
        final boolean isSameHost = own.process().sharesHostWith(peer.process());
        final AeronContact contact = AeronContact.of(peer);
        final String obstacle = streamObstacle(options, isSameHost, AeronContact.of(own), contact);
        if (null != obstacle)
        {
            return new PathChoice(null, obstacle);
        }

        final String mapping = mappingObstacle(options, isSameHost, contact);
        if (null == mapping)
        {
            return new PathChoice(DataPath.MAPPED, "same host, mapped memory");
        }

        if (!options.maySend())
        {
            return new PathChoice(null, mapping);
        }

        if (0 == contact.dataStream())
        {
            return new PathChoice(null, mapping + ", and the peer does not accept messages");
        }

        return new PathChoice(DataPath.MESSAGES, contact.isIpc() ? "messages over Aeron IPC" :
            "messages over UDP to " + contact.endpoint());
    }

    private static String streamObstacle(
        final AeronOptions options, final boolean isSameHost, final AeronContact own, final AeronContact peer)
    {
        if (options.isExternal() != peer.isIpc())
        {
            return "one of the two embeds its media driver and the other uses aeron-dir";
        }

        if (peer.isIpc() && !(own.endpoint().equals(peer.endpoint()) && isSameHost))
        {
            return "it uses another media driver, " + peer.endpoint();
        }

        if (!peer.isIpc() && !isSameHost && peer.endpoint().startsWith("127."))
        {
            return "it is on another host and listens on loopback only: set its transload.aeron.host";
        }

        return null;
    }

    private static String mappingObstacle(
        final AeronOptions options, final boolean isSameHost, final AeronContact peer)
    {
        if (!options.mayMap())
        {
            return "data-path is messages";
        }

        if (!isSameHost)
        {
            return "another host";
        }

        if (peer.regionDirectory().isEmpty())
        {
            return "the peer has no memory to map (its data-path is messages)";
        }

        return PrivateDirectory.obstacle(peer.regionDirectory());
    }
}

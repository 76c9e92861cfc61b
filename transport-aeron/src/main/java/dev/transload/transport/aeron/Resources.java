/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportConfig;
import dev.transload.transport.base.Identifiers;
import dev.transload.transport.base.MappedFile;
import dev.transload.transport.base.PeerIdentity;
import dev.transload.transport.base.PrivateDirectory;
import dev.transload.transport.base.ProcessIdentity;
import io.aeron.Image;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a transport takes from the host when it opens: all of it, or nothing.
 *
 * @param regionDirectory of memory that peers map, or null where none is mapped.
 * @param medium          that listens.
 * @param lostImages      told of images that end.
 * @param identity        of the transport.
 */
record Resources(PrivateDirectory regionDirectory, Medium medium, LostImages lostImages, PeerIdentity identity)
{
    /** Aeron wants its handler before the agent that answers it exists. */
    static final class LostImages implements Consumer<Image>
    {
        private static final Logger LOG = LoggerFactory.getLogger(LostImages.class);

        private volatile Consumer<Image> delegate;

        @Override
        public void accept(final Image image)
        {
            final Consumer<Image> receiver = delegate;
            if (null == receiver)
            {
                LOG.debug("{} ended before anybody knew it", image);
            }
            else
            {
                receiver.accept(image);
            }
        }

        void delegate(final Consumer<Image> receiver)
        {
            delegate = receiver;
        }
    }

    static Resources open(final TransportConfig config, final AeronOptions options)
    {
        final long transportId = Identifiers.random();
        final String name = ProcessHandle.current().pid() + "-" + config.rank() + "-" + config.incarnation() + "-" +
            Long.toHexString(transportId);
        final PrivateDirectory regions = options.mayMap() ?
            PrivateDirectory.create(
                AeronOptions.TRANSPORT, options.regionDirectory(), name, MappedFile.DIRECTORY.key()) : null;
        Medium medium = null;
        try
        {
            final LostImages lostImages = new LostImages();
            medium = Medium.open(options, config, "driver-" + name, lostImages::accept);
            return new Resources(regions, medium, lostImages, identity(config, transportId, regions, medium));
        }
        finally
        {
            if (null == medium && null != regions)
            {
                regions.close();
            }
        }
    }

    private static PeerIdentity identity(
        final TransportConfig config, final long transportId, final PrivateDirectory regions, final Medium medium)
    {
        final AeronContact contact = new AeronContact(
            medium.endpoint(),
            medium.controlStream(),
            null == medium.data() ? 0 : medium.data().streamId(),
            null == regions ? "" : regions.path().toString(),
            medium.driverDirectory());
        return new PeerIdentity(AeronOptions.TRANSPORT, config.rank(), config.incarnation(), transportId,
            Identifiers.random(), ProcessIdentity.local(), medium.endpoint(), contact.encode());
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.base.ControlMedium;
import dev.transload.transport.base.ControlStream;
import dev.transload.transport.base.Identifiers;
import dev.transload.transport.base.PeerIdentity;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.UnavailableImageHandler;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.aeron.status.ChannelEndpointStatus;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.AgentInvoker;

/**
 * The Aeron client of a transport with its two subscriptions, over a driver of its own and UDP, or over an external
 * driver and IPC. Nothing in it has a thread: its owner calls {@link #drive()}.
 */
final class Medium implements ControlMedium
{
    /** MTU and term of the control streams; an MTU's payload holds a message. */
    static final int CONTROL_MTU = 1408;
    static final int CONTROL_TERM_LENGTH = 64 << 10;

    private static final int STREAM_MIN = 1 << 16;
    private static final int UDP_TAG = 1;
    private static final int LOOPBACK_MTU = 65504;
    private static final int UDP_TERM_LENGTH = 1 << 20;
    private static final int IPC_TERM_LENGTH = 4 << 20;
    private static final long DRIVER_TIMEOUT_MIN_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long OPEN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final AeronOptions options;
    private final EmbeddedDriver driver;
    private final Aeron aeron;
    private final AgentInvoker conductor;
    private final Long2LongHashMap peerOfImage = new Long2LongHashMap(MessageHandler.NO_PEER);
    private final FragmentHandler fragmentHandler = this::onControl;
    private MessageHandler messageHandler;
    private Subscription control;
    private Subscription data;
    private String endpoint;

    private Medium(final AeronOptions options, final EmbeddedDriver driver, final Aeron aeron)
    {
        this.options = options;
        this.driver = driver;
        this.aeron = aeron;
        this.conductor = aeron.conductorAgentInvoker();
    }

    /**
     * Start the driver if it is ours, connect, and listen.
     *
     * @param options of the transport.
     * @param config  of the transport.
     * @param name    of the private directory of an embedded driver.
     * @param onLost  told of every image that ends, on the thread that invokes.
     * @return a medium that listens.
     * @throws TransportUnavailableException when there is no driver, or the port is taken.
     */
    static Medium open(
        final AeronOptions options,
        final TransportConfig config,
        final String name,
        final UnavailableImageHandler onLost)
    {
        final AeronErrors errors = new AeronErrors(config.rank());
        final EmbeddedDriver driver =
            options.isExternal() ? null : EmbeddedDriver.launch(options, config, name, errors);
        Medium medium = null;
        try
        {
            final Aeron.Context context = new Aeron.Context()
                .aeronDirectoryName(null == driver ? options.aeronDir().toString() : driver.aeronDirectory())
                .clientName("transload-" + config.rank())
                .useConductorAgentInvoker(true)
                .driverTimeoutMs(driverTimeoutMs(options, config))
                .errorHandler(errors);
            if (null != driver)
            {
                context.driverAgentInvoker(driver.invoker());
            }

            medium = new Medium(options, driver, Aeron.connect(context));
            medium.listen(onLost);
            errors.opened();
            return medium;
        }
        catch (final AeronException ex)
        {
            throw refusal(options, ex);
        }
        finally
        {
            if (null == medium || null == medium.endpoint)
            {
                closeHalfOpen(medium, driver);
            }
        }
    }

    /** Work of the driver and of the client. */
    @Override
    public int drive()
    {
        return (null == driver ? 0 : driver.invoker().invoke()) + conductor.invoke();
    }

    @Override
    public int poll(final MessageHandler handler, final int limit)
    {
        messageHandler = handler;
        return control.poll(fragmentHandler, limit);
    }

    @Override
    public ControlStream open(final PeerIdentity peer)
    {
        final AeronContact contact = AeronContact.of(peer);
        return new ControlPublication(aeron, aeron.asyncAddExclusivePublication(
            uri(contact, CONTROL_TERM_LENGTH, CONTROL_MTU), contact.controlStream()));
    }

    @Override
    public String closedReason()
    {
        return "the media driver or its client is gone";
    }

    /**
     * An image has ended.
     *
     * @param image of ours.
     * @return transport id of the peer whose control messages came by it, or {@link MessageHandler#NO_PEER}.
     */
    long forget(final Image image)
    {
        return peerOfImage.remove(image.correlationId());
    }

    @Override
    public boolean isClosed()
    {
        return aeron.isClosed() || null != driver && driver.invoker().isClosed();
    }

    /** Id of the stream of control messages. */
    int controlStream()
    {
        return control.streamId();
    }

    /** Stream of operations, null where messages are not accepted. */
    Subscription data()
    {
        return data;
    }

    String endpoint()
    {
        return endpoint;
    }

    String driverDirectory()
    {
        return null == driver ? "" : driver.privateDirectory();
    }

    long addDataPublication(final PeerIdentity identity)
    {
        final AeronContact peer = AeronContact.of(identity);
        final boolean isNear = peer.isIpc() || peer.endpoint().startsWith("127.");
        final int mtu = 0 != options.mtu() ? options.mtu() : isNear ? LOOPBACK_MTU : CONTROL_MTU;
        final int term = 0 != options.termLength() ? options.termLength() :
            peer.isIpc() ? IPC_TERM_LENGTH : UDP_TERM_LENGTH;
        return aeron.asyncAddExclusivePublication(uri(peer, term, mtu), peer.dataStream());
    }

    /** The publication, or null as long as the driver has not made it. */
    ExclusivePublication publication(final long registrationId)
    {
        return aeron.getExclusivePublication(registrationId);
    }

    @Override
    public void close()
    {
        aeron.close();
        if (null != driver)
        {
            driver.close();
        }
    }

    /** An external driver may die on its own; ours dies with us. */
    private static long driverTimeoutMs(final AeronOptions options, final TransportConfig config)
    {
        return TimeUnit.NANOSECONDS.toMillis(options.isExternal() ?
            Math.max(config.livenessTimeoutNs(), DRIVER_TIMEOUT_MIN_NS) : EmbeddedDriver.timeoutNs(config));
    }

    private void listen(final UnavailableImageHandler onLost)
    {
        final String channel = options.isExternal() ? "aeron:ipc" :
            "aeron:udp?tags=" + UDP_TAG + "|endpoint=" + options.host() + ":" + options.port();
        control = aeron.addSubscription(channel, randomStream(), (image) -> {}, onLost);
        if (options.maySend())
        {
            final String again = options.isExternal() ? channel : "aeron:udp?tags=" + UDP_TAG;
            data = aeron.addSubscription(again, randomStream(), (image) -> {}, onLost);
        }

        endpoint = options.isExternal() ? AeronContact.IPC_PREFIX + options.aeronDir() : awaitEndpoint();
    }

    private void onControl(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        final long peer = messageHandler.onMessage(buffer, offset, length);
        if (MessageHandler.NO_PEER != peer)
        {
            peerOfImage.put(((Image)header.context()).correlationId(), peer);
        }
    }

    /**
     * Peers learn it from the contact. Over UDP, a driver makes log buffers for every sender that names a stream with a
     * subscription, as long as the sender says: strangers must not know one. Over IPC, all clients share the streams.
     */
    private static int randomStream()
    {
        return Identifiers.random(STREAM_MIN, Integer.MAX_VALUE);
    }

    private String awaitEndpoint()
    {
        final long deadlineNs = System.nanoTime() + OPEN_TIMEOUT_NS;
        while (true)
        {
            final String resolved = control.resolvedEndpoint();
            if (null != resolved && !resolved.endsWith(":0"))
            {
                return resolved;
            }

            if (ChannelEndpointStatus.ERRORED == control.channelStatus() ||
                System.nanoTime() - deadlineNs > 0)
            {
                throw unbound(options, null);
            }

            drive();
            Thread.onSpinWait();
        }
    }

    private static String uri(final AeronContact peer, final int termLength, final int mtu)
    {
        return peer.channel() + (peer.isIpc() ? "?" : "|") + "term-length=" + termLength + "|mtu=" + mtu;
    }

    private static TransportUnavailableException refusal(final AeronOptions options, final AeronException ex)
    {
        if (options.isExternal())
        {
            return new TransportUnavailableException("transport aeron finds no running media driver in " +
                options.aeronDir() + " (" + ex.getMessage() + "): start one, or leave transload.aeron.aeron-dir empty",
                ex);
        }

        return ex instanceof RegistrationException ? unbound(options, ex) : new TransportUnavailableException(
            "transport aeron cannot start its media driver (" + ex.getMessage() + ")", ex);
    }

    private static TransportUnavailableException unbound(final AeronOptions options, final AeronException ex)
    {
        final String detail = null == ex ? "" : " (" + ex.getMessage() + ")";
        final String remedy = 0 == options.port() ? "set transload.aeron.host to an address of " +
            "this host" : "the port is in use or the address is not of this host; choose another " +
            "transload.aeron.port, 0 takes any free one";
        return new TransportUnavailableException("transport aeron cannot listen on UDP " + options.host() + ":" +
            options.port() + detail + ": " + remedy, ex);
    }

    private static void closeHalfOpen(final Medium medium, final EmbeddedDriver driver)
    {
        if (null != medium)
        {
            medium.close();
        }
        else if (null != driver)
        {
            driver.close();
        }
    }
}

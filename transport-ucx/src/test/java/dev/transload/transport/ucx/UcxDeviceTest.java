/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.ucx.UcxDevice.Acquire;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether UCX may be given memory of a device, and what it takes to see what peers wrote there. */
class UcxDeviceTest
{
    private static final String STAGED = "; without it (off) the engine stages rows of devices through host memory";

    private static UcxOptions options(final String... keysAndValues)
    {
        final Map<String, String> values = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            values.put(keysAndValues[i], keysAndValues[i + 1]);
        }

        return UcxOptions.of(Rank.config(0, values));
    }

    private static UcxDevice open(final String library, final String tls)
    {
        return UcxDevice.open(options("device", "on", "device-library", library), new TransportSelection(tls),
            () -> List.of(new StandInRuntime()), Map.of());
    }

    private static String refusal(final String library, final String tls)
    {
        return assertThrows(TransportUnavailableException.class, () -> open(library, tls)).getMessage();
    }

    @Test
    void shouldLookForNoDeviceUnlessAsked()
    {
        final UcxDevice none = UcxDevice.open(options(), new TransportSelection(""), () ->
        {
            throw new AssertionError("runtimes were looked for");
        }, Map.of());
        assertSame(UcxDevice.NONE, none);
        assertFalse(none.isPresent());
    }

    @ParameterizedTest
    @CsvSource({"ordered, '', NOTHING", "flushed, '', FLUSH", "unknown, 'tcp,cuda_copy', READ_BACK",
        "unknown, 'rc,cuda_copy', READ_BACK"})
    void shouldChooseTheShortestWayToSeeWhatPeersWrote(final String library, final String tls, final Acquire way)
    {
        assertEquals(way, open(library, tls).acquire());
    }

    /** A read that takes a shorter way than the card says nothing of the card's writes. */
    @ParameterizedTest
    @ValueSource(strings = {"", "^cma", "all", "rc,self", "tcp,posix", "cuda_ipc,cuda_copy", "rc,cuda"})
    void shouldRefuseToReadBackByAnotherWayThanTheCard(final String tls)
    {
        assertEquals("transload.ucx.device = on is not possible here: device 0 (stand-in) does not tell when it sees " +
            "what a card wrote, and a read through the card would show that only if transload.ucx.tls named ways " +
            "over the network alone, e.g. rc,cuda_copy" + STAGED, refusal("unknown", tls));
    }

    @Test
    void shouldRefuseWhereNothingDrivesDevices()
    {
        final List<DeviceRuntime> none = List.of();
        assertEquals("transload.ucx.device = 1 is not possible here: no jar of the class path drives CUDA devices: " +
            "add that of the transport nvlink" + STAGED, assertThrows(TransportUnavailableException.class,
            () -> UcxDevice.open(options("device", "1"), new TransportSelection(""), () -> none, Map.of()))
            .getMessage());
    }

    @Test
    void shouldRefuseADeviceThatIsNotThere()
    {
        assertEquals("transload.ucx.device = on is not possible here: there is no device 0: this process sees 0" +
            STAGED, refusal("elsewhere", ""));
    }

    @Test
    void shouldRefuseAnEmulatorWhoseAddressesNobodyElseKnows()
    {
        assertEquals("transload.ucx.device = on is not possible here: device 0 (stand-in) is emulated, and UCX knows " +
            "addresses of hardware only" + STAGED, refusal("emulated-hardware", ""));
        assertTrue(open("emulated", "").isPresent(), "memory that is the host's too is known");
    }

    @Test
    void shouldRefuseAnUcxWithoutCuda()
    {
        final UcxOptions options = options("device", "on");
        final UcxDevice hardware = open("hardware", "");
        assertEquals(UcpCalls.MEMORY_TYPE_CUDA, hardware.type());
        hardware.requireMovedBy(options, "UCX 1.19.1", 0b11);
        assertEquals("transload.ucx.device = on is not possible here: UCX 1.13.1 moves no CUDA memory: it was built " +
            "without CUDA, or UCX_TLS or transload.ucx.tls leave out cuda_copy" + STAGED,
            assertThrows(TransportUnavailableException.class,
                () -> hardware.requireMovedBy(options, "UCX 1.13.1", 0b1)).getMessage());
        UcxDevice.NONE.requireMovedBy(options("device", "off"), "UCX 1.13.1", 0b1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"y", "yes", "on", "1", "try", "Yes"})
    void shouldRefuseCardsThatWriteOutOfOrder(final String value)
    {
        final String expected = "UCX_IB_PCI_RELAXED_ORDERING = " + value + " is not allowed together with " +
            "transload.ucx.device = 0: set it to no, or the device to off";
        assertEquals(expected, assertThrows(ConfigurationException.class,
            () -> UcxDevice.open(options("device", "0"), new TransportSelection(""),
                () -> List.of(new StandInRuntime()), Map.of("UCX_IB_PCI_RELAXED_ORDERING", value))).getMessage());
        assertEquals(expected, assertThrows(ConfigurationException.class,
            () -> UcxDevice.open(options("device", "0", "settings", "IB_PCI_RELAXED_ORDERING=" + value),
                new TransportSelection(""), () -> List.of(new StandInRuntime()), Map.of())).getMessage());
    }

    @Test
    void shouldMoveMemoryOfItsOwnDeviceOnly()
    {
        final UcxDevice device = UcxDevice.open(options("device", "1"), new TransportSelection(""),
            () -> List.of(new StandInRuntime()), Map.of());
        assertEquals(1, device.ordinal());
        final String refusal = "device=0: this transport moves memory of device 1 (stand-in); transload.ucx.device " +
            "says which";
        assertEquals(refusal,
            assertThrows(IllegalArgumentException.class, () -> device.allocate(0, 4096)).getMessage());
        assertEquals(refusal,
            assertThrows(IllegalArgumentException.class, () -> device.requireOwn(0, 4096, 1)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> device.requireOwn(1, 4096, 1));
    }
}

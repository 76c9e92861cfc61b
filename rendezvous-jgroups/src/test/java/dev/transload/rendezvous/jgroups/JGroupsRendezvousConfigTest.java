/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

class JGroupsRendezvousConfigTest
{
    @Test
    void shouldHaveTheDefaultsOfTheReferenceConfiguration()
    {
        final JGroupsRendezvousConfig config = JGroupsRendezvousConfig.from(ConfigFactory.parseResources(
            "reference.conf").resolve()).rank(1).worldSize(2).address("node:7800").build();
        final JGroupsRendezvousConfig built = valid().build();
        assertEquals(built.timeout(), config.timeout());
        assertEquals(built.failureTimeout(), config.failureTimeout());
        assertFalse(config.bind().isPresent());
        assertFalse(config.secret().isPresent());
    }

    @Test
    void shouldTakeSettingsFromAConfiguration()
    {
        final JGroupsRendezvousConfig config = JGroupsRendezvousConfig.from(with(
            "address = \"a:1,b:2\", bind = \"::1\", secret = s, timeout = 2m, failure-timeout = 750ms"))
            .rank(1).worldSize(2).build();
        assertEquals("a:1,b:2", config.addresses().toString());
        assertEquals("::1", config.bind().orElseThrow());
        assertEquals("s", config.secret().orElseThrow());
        assertEquals(Duration.ofMinutes(2), config.timeout());
        assertEquals(Duration.ofMillis(750), config.failureTimeout());
    }

    @Test
    void shouldNameAnUnknownKey()
    {
        assertSays("transload.rendezvous.adress is not a key",
            () -> JGroupsRendezvousConfig.from(with("adress = \"a:1\"")));
    }

    @Test
    void shouldNameAValueOfAnotherKind()
    {
        assertSays("timeout", () -> JGroupsRendezvousConfig.from(with("timeout = soon")));
        assertSays("transload.rendezvous.timeout = 30 is not allowed: must be a positive duration with its unit",
            () -> JGroupsRendezvousConfig.from(with("timeout = 30")));
        assertSays("failure-timeout = 30", () -> JGroupsRendezvousConfig.from(with("failure-timeout = 30")));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, world size 0", "-1, 2, rank -1", "2, 2, rank 2 is not allowed in a world of 2"
    })
    void shouldRefuseARankOutsideOfTheWorld(final int rank, final int worldSize, final String sentence)
    {
        assertSays(sentence, () -> valid().rank(rank).worldSize(worldSize).build());
    }

    @Test
    void shouldLetRankZeroAloneTakeAnyPort()
    {
        final JGroupsRendezvousConfig.Builder second = valid().rank(1).worldSize(2).anyPort("host", (at) -> fail(at));
        assertSays("any port is for rank 0 alone", second::build);
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "host:", ":7800", "host:0", "host:65536", "host:x", "a:1,b:2,c:3", "a:1,a:1",
        "::1:7800", "a:1,,b:2"})
    void shouldRefuseAnAddressThatIsNone(final String address)
    {
        assertSays("'" + address + "'", () -> valid().address(address).build());
    }

    @Test
    void shouldRefuseTimesOutOfRange()
    {
        assertSays("failure-timeout = 499 ms", () -> valid().failureTimeout(Duration.ofMillis(499)).build());
        assertSays("timeout = 0 ms", () -> valid().timeout(Duration.ZERO).build());
        assertSays("address is empty", () -> valid().address(" ").build());
    }

    @Test
    void shouldReadABracketedAddress()
    {
        assertEquals("[::1]:7800", valid().address("[::1]:7800").build().addresses().toString());
    }

    private static JGroupsRendezvousConfig.Builder valid()
    {
        return JGroupsRendezvousConfig.builder().rank(0).worldSize(2).address("127.0.0.1:7800");
    }

    private static Config with(final String settings)
    {
        return ConfigFactory.parseString("transload.rendezvous { " + settings + " }")
            .withFallback(ConfigFactory.parseResources("reference.conf")).resolve();
    }

    private static void assertSays(final String part, final Runnable action)
    {
        final RendezvousException ex = assertThrows(RendezvousException.class, action::run);
        assertEquals(Reason.BAD_CONFIGURATION, ex.reason());
        assertTrue(ex.getMessage().contains(part), ex.getMessage());
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.ucx.NeedsUcx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@NeedsUcx
@Timeout(120)
class UcpLibraryTest
{
    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldSayWhatBringsAMissingUcx(final UcpBinding binding)
    {
        Loopback.load(binding);
        final TransportUnavailableException refusal = assertThrows(TransportUnavailableException.class,
            () -> UcpLibrary.load(binding, Map.of(), "libabsent.so.0"));
        assertEquals("libabsent.so.0 is missing: apt-get install libucx0", refusal.getMessage());
        assertInstanceOf(UnsatisfiedLinkError.class, refusal.getCause());
        assertEquals("Success", UcpLibrary.load(binding, Map.of()).calls().statusText(0), "nothing else has changed");
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldRefuseALibraryThatIsNotUcx(final UcpBinding binding)
    {
        Loopback.load(binding);
        final TransportUnavailableException refusal = assertThrows(TransportUnavailableException.class,
            () -> UcpLibrary.load(binding, Map.of(), "libdl.so.2"));
        assertTrue(refusal.getMessage().startsWith("libdl.so.2 cannot be used: "), refusal.getMessage());
        assertTrue(refusal.getMessage().matches("(?s).*function '?uc[ps]_.*"), refusal.getMessage());
        assertEquals("Success", UcpLibrary.load(binding, Map.of()).calls().statusText(0), "nothing else has changed");
    }

    @Test
    void shouldRefuseMachinesThatJucxHasNoCodeFor()
    {
        UcpLibrary.checkMachine("Linux", "amd64");
        assertEquals("jucx is for Linux on x86-64 only, and this is Linux on aarch64: its jar has no " +
            "libjucx_aarch64.so; choose another transport, as aeron",
            assertThrows(TransportUnavailableException.class, () -> UcpLibrary.checkMachine("Linux", "aarch64"))
                .getMessage());
        assertEquals("jucx is for Linux on x86-64 only, and this is Mac OS X on amd64; choose another transport, as " +
            "aeron", assertThrows(TransportUnavailableException.class,
                () -> UcpLibrary.checkMachine("Mac OS X", "amd64")).getMessage());
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldRefuseWhatIsNoNameOfAVariable(final UcpBinding binding)
    {
        Loopback.load(binding);
        assertThrows(IllegalArgumentException.class, () -> UcpLibrary.load(binding, Map.of("A=B", "c")));
        assertThrows(IllegalArgumentException.class, () -> UcpLibrary.load(binding, Map.of("", "c")));
    }

    @Test
    void shouldPreferJniAndLoadItOnce()
    {
        Loopback.load(UcpBinding.JNI);
        final UcpLibrary first = UcpLibrary.load(UcpBinding.AUTO, Map.of());
        assertEquals("JNI", first.calls().name());
        assertTrue(first.calls().hasNativeRows());
        assertNull(first.jniFailure());
        assertNull(first.versions().problem());
        assertTrue(first.versions().toString().endsWith(", JNI)"), first.versions()::toString);
        assertSame(first.calls(), UcpLibrary.load(UcpBinding.JNI, Map.of()).calls());
    }

    @Test
    void shouldFallBackToJnaAndSayWhy(@TempDir final Path directory)
    {
        final ChildJvm child = new ChildJvm(directory).flag("-Djava.io.tmpdir=" + directory.resolve("absent"))
            .flag("-Djna.tmpdir=" + directory);
        final List<String> lines = child.run(LibraryMain.class, LibraryMain.FALLBACK);
        assertEquals("JNA", lines.get(0));
        assertTrue(lines.get(1).startsWith("the JNI shim cannot be loaded: "), lines::toString);
        assertTrue(child.errors().contains("WARN"), child::errors);
        assertTrue(child.errors().contains("Calls into UCX go through JNA"), child::errors);
        assertEquals("the JNI shim cannot be loaded", lines.get(2).split(":")[0], "forcing JNI is refused");
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldKeepUcxQuietAndTheSignalsOfTheJvmIntact(final UcpBinding binding, @TempDir final Path directory)
    {
        Loopback.load(binding);
        final ChildJvm child = new ChildJvm(directory);
        assertEquals(List.of("100000 null pointers caught"),
            child.run(LibraryMain.class, LibraryMain.SIGNALS, binding.name()), child::errors);
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldPassSettingsToUcx(final UcpBinding binding, @TempDir final Path directory)
    {
        Loopback.load(binding);
        final List<String> lines =
            new ChildJvm(directory).run(LibraryMain.class, LibraryMain.SETTING, binding.name(), "nonsense");
        assertEquals("refused: Invalid parameter", lines.get(lines.size() - 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"JNI", "JNA"})
    void shouldLeaveSettingsOfTheUserAsTheyAre(final UcpBinding binding, @TempDir final Path directory)
    {
        Loopback.load(binding);
        final ChildJvm child = new ChildJvm(directory).variable(LibraryMain.VARIABLE, "16k");
        assertEquals(List.of("accepted"),
            child.run(LibraryMain.class, LibraryMain.SETTING, binding.name(), "nonsense"), child::errors);
    }
}

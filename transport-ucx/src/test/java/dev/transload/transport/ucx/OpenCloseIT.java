/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.gate.Thorough;
import dev.transload.transport.ucx.internal.ucp.ChildJvm;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing stays behind, however often things are opened and closed. */
@NeedsUcx
class OpenCloseIT
{
    @ParameterizedTest
    @CsvSource({
        "channels,   tcp"})
    void shouldLeaveNothingOfTwoHundred(final String what, final String tls, @TempDir final Path directory)
    {
        new ChildJvm(directory).flag("-Xms64m").flag("-XX:+AlwaysPreTouch").run(OpenCloseMain.class, what,
            tls.replace(';', ','));
    }

    @Thorough("the same by other ways")
    @ParameterizedTest
    @CsvSource({
        "transports, posix;self",
        "transports, sysv;self",
        "transports, tcp",
        "channels,   posix;self"})
    void shouldLeaveNothingByAnyWay(final String what, final String tls, @TempDir final Path directory)
    {
        shouldLeaveNothingOfTwoHundred(what, tls, directory);
    }
}

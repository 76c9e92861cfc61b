/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.aeron;

import dev.transload.tck.InProcessFixture;
import java.util.Map;

/** What the kit must know of this transport. */
final class AeronFixture extends InProcessFixture
{
    AeronFixture(final Map<String, String> options)
    {
        super(new AeronTransportProvider(), options, (transport) -> ((AeronTransport)transport).halt());
    }
}

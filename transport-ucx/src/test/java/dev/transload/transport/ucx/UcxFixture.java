/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.tck.InProcessFixture;
import java.util.Map;

/** What the kit must know of this transport. */
final class UcxFixture extends InProcessFixture
{
    UcxFixture(final Map<String, String> options)
    {
        super(new UcxTransportProvider(), options, (transport) -> ((UcxTransport)transport).halt());
    }
}

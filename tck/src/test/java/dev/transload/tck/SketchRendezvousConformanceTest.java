/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

class SketchRendezvousConformanceTest extends RendezvousConformance
{
    @Override
    public RendezvousFixture fixture()
    {
        return new SketchRendezvous("");
    }
}

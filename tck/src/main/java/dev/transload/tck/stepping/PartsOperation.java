/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowCopies;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Copies the rows of several parts, in an order that chance chooses. */
final class PartsOperation extends KernelOperation
{
    private final SteppingFabric fabric;
    private final List<CopyOperation> parts = new ArrayList<>();

    PartsOperation(final SteppingFabric fabric, final MemoryKind kind, final RowCopies given)
    {
        this.fabric = fabric;
        for (int i = 0; i < given.parts(); i++)
        {
            parts.add(new CopyOperation(fabric, kind, Objects.requireNonNull(given.src(i), "src"), given.dst(i),
                given.rows(i), given.from(i), given.count(i)));
        }
    }

    @Override
    void check()
    {
        parts.forEach(CopyOperation::check);
    }

    @Override
    boolean isEmpty()
    {
        return parts.stream().allMatch(CopyOperation::isEmpty);
    }

    @Override
    void submit(final long number, final long earliest)
    {
        super.submit(number, earliest);
        parts.forEach((part) -> part.submit(number, earliest));
    }

    @Override
    void spoil(final Chance chance)
    {
        parts.forEach((part) -> part.spoil(chance));
    }

    @Override
    void finish()
    {
        final List<CopyOperation> left = new ArrayList<>(parts);
        if (fabric.has(Fault.KRN_18))
        {
            left.subList(Math.min(1, left.size()), left.size()).clear();
        }

        while (!left.isEmpty())
        {
            left.remove(fabric.chance().below(left.size())).finish();
        }
    }
}

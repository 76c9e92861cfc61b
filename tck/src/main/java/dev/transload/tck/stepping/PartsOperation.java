/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.kernels.RowCopies;
import dev.transload.spi.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Copies the rows of several parts, in an order that chance chooses. */
class PartsOperation extends KernelOperation
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
        spoil(-1, chance);
    }

    @Override
    void finish()
    {
        finish(-1);
    }

    /** Of some parts, whose bits are set: as if they were submitted by themselves. */
    final void submit(final int some, final long number)
    {
        chosen(some).forEach((part) -> part.submit(number, notBefore()));
    }

    /** Of some parts, whose bits are set. */
    final void spoil(final int some, final Chance chance)
    {
        chosen(some).forEach((part) -> part.spoil(chance));
    }

    /** Of some parts, whose bits are set. */
    final void finish(final int some)
    {
        final List<CopyOperation> left = chosen(some);
        if (fabric.has(Fault.KRN_18))
        {
            left.subList(Math.min(1, left.size()), left.size()).clear();
        }

        while (!left.isEmpty())
        {
            left.remove(fabric.chance().below(left.size())).finish();
        }
    }

    private List<CopyOperation> chosen(final int some)
    {
        final List<CopyOperation> chosen = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++)
        {
            if (0 != (some >> i & 1))
            {
                chosen.add(parts.get(i));
            }
        }

        return chosen;
    }
}

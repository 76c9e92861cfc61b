/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jgroups.Message;
import org.jgroups.auth.AuthToken;

/**
 * Token with which JGroups' AUTH authenticates a joining member and the member that admits it. The address of each
 * member contains the proof that the member knows the secret. The token carries the view that formed the world, so that
 * a process that is admitted later does not take that world for a new one. The class and its constructor without
 * arguments are public because AUTH creates received tokens by reflection.
 */
public final class ProofToken extends AuthToken
{
    /** Instead of the id of a view, while no world has formed. */
    static final long UNFORMED = -1;

    private final GroupKey key;
    private final LongSupplier formedAt;
    private final LongConsumer onFormedAt;
    private long received = UNFORMED;

    /** Creates a token, for use by AUTH. */
    public ProofToken()
    {
        this(null, () -> UNFORMED, (viewId) ->
        {
        });
    }

    /** Tells others, and is told by who admits this process, the id of the view that formed the world. */
    ProofToken(final GroupKey key, final LongSupplier formedAt, final LongConsumer onFormedAt)
    {
        this.key = key;
        this.formedAt = formedAt;
        this.onFormedAt = onFormedAt;
    }

    @Override
    public String getName()
    {
        return ProofToken.class.getName();
    }

    @Override
    public int size()
    {
        return Long.BYTES;
    }

    @Override
    public boolean authenticate(final AuthToken token, final Message message)
    {
        final boolean isProven = Claim.distrust(message.getSrc(), key).isEmpty();
        if (isProven && token instanceof ProofToken proof)
        {
            onFormedAt.accept(proof.received);
        }
        return isProven;
    }

    @Override
    public void writeTo(final DataOutput out) throws IOException
    {
        out.writeLong(formedAt.getAsLong());
    }

    @Override
    public void readFrom(final DataInput in) throws IOException
    {
        received = in.readLong();
    }
}

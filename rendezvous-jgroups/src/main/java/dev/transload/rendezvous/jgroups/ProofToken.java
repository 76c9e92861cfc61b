/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.io.DataInput;
import java.io.DataOutput;
import org.jgroups.Message;
import org.jgroups.auth.AuthToken;

/**
 * Token with which JGroups' AUTH authenticates a joining member and the member that admits it. The address of each
 * member contains the proof that the member knows the secret, so the token carries no data. The class and its
 * constructor without arguments are public because AUTH creates received tokens by reflection.
 */
public final class ProofToken extends AuthToken
{
    private final GroupKey key;

    /** Creates a token, for use by AUTH. */
    public ProofToken()
    {
        this(null);
    }

    ProofToken(final GroupKey key)
    {
        this.key = key;
    }

    @Override
    public String getName()
    {
        return ProofToken.class.getName();
    }

    @Override
    public int size()
    {
        return 0;
    }

    @Override
    public boolean authenticate(final AuthToken token, final Message message)
    {
        return Claim.distrust(message.getSrc(), key).isEmpty();
    }

    @Override
    public void writeTo(final DataOutput out)
    {
        // Nothing, as above.
    }

    @Override
    public void readFrom(final DataInput in)
    {
        // Nothing, as above.
    }
}

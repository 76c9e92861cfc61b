/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys that the ranks of a world derive from their common secret: PBKDF2 with HMAC-SHA256 (RFC 8018), the first half
 * of the derived bytes for the cipher, the second half for message authentication codes.
 */
final class GroupKey
{
    /** AEAD of RFC 8439; the JDK takes its nonce as a plain IV, which is all that JGroups can hand to a cipher. */
    static final String CIPHER = "ChaCha20-Poly1305";
    static final int NONCE_BYTES = 12;

    private static final int KEY_BYTES = 32;
    private static final int ITERATIONS = 120_000;
    private static final byte[] SALT = "transload rendezvous 1".getBytes(StandardCharsets.UTF_8);
    private static final String MAC = "HmacSHA256";

    private final SecretKey cipherKey;
    private final SecretKey macKey;

    private GroupKey(final byte[] derived)
    {
        cipherKey = new SecretKeySpec(derived, 0, KEY_BYTES, CIPHER);
        macKey = new SecretKeySpec(derived, KEY_BYTES, KEY_BYTES, MAC);
    }

    static GroupKey deriveFrom(final String secret)
    {
        final PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), SALT, ITERATIONS, 2 * KEY_BYTES * Byte.SIZE);
        try
        {
            final byte[] derived = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec)
                .getEncoded();
            final GroupKey key = new GroupKey(derived);
            Arrays.fill(derived, (byte)0);
            return key;
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("this JDK lacks PBKDF2WithHmacSHA256, which every JDK 17 has", ex);
        }
        finally
        {
            spec.clearPassword();
        }
    }

    SecretKey cipherKey()
    {
        return cipherKey;
    }

    /** Proof, over the given bytes, that its maker knows the secret; one for another purpose is none for this. */
    byte[] proof(final String purpose, final byte[] bytes)
    {
        try
        {
            final Mac mac = Mac.getInstance(MAC);
            mac.init(macKey);
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            mac.update((byte)0);
            return mac.doFinal(bytes);
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("this JDK lacks " + MAC + ", which every JDK 17 has", ex);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

/** Part of an operation, executed on its own: read, and in a later step written. */
final class Piece
{
    final Operation operation;
    final int from;
    final int length;
    long notBefore;
    byte[] carried;

    Piece(final Operation operation, final int from, final int length, final long notBefore)
    {
        this.operation = operation;
        this.from = from;
        this.length = length;
        this.notBefore = notBefore;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * How the ranks of a world find each other: an all-gather of opaque bytes, announcements, and word of a lost member.
 * A program that opens an engine gives it a {@link dev.transload.rendezvous.Rendezvous}; nothing here moves token
 * rows. The package knows no transport and no library beyond the JDK.
 */
package dev.transload.rendezvous;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The rendezvous: how the ranks of a world find each other. It offers an all-gather of opaque bytes, announcements, and
 * notice of lost members. A program that opens an engine passes a {@link dev.transload.rendezvous.Rendezvous}. Token
 * rows are not sent through the rendezvous. The package uses no transport and no library except the JDK.
 */
package dev.transload.rendezvous;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The rendezvous: how the ranks of a world find each other. It offers announcements, notice of lost members, and an
 * all-gather of opaque bytes. A program that opens an engine passes a {@link dev.transload.rendezvous.Rendezvous}.
 * Token rows are not sent through the rendezvous. The package uses only the JDK: no transport and no library.
 */
package dev.transload.rendezvous;

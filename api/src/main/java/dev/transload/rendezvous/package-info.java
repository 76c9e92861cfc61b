/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The rendezvous: how the ranks of a world find each other. It offers an all-gather of opaque bytes, announcements, and
 * notice of lost members. A program passes a {@link dev.transload.rendezvous.Rendezvous} to an engine when it opens the
 * engine; token rows are not sent through it. The package uses no transport and no library except the JDK.
 */
package dev.transload.rendezvous;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Which ranks take part: evidence of failures, the survivors' agreement on the next view, and the return of a rank.
 * {@link dev.transload.engine.internal.membership.Membership} is a state machine without threads and clocks.
 * The package uses the JDK only, and nothing of calls, connections or the rendezvous, which carry its messages.
 */
package dev.transload.engine.internal.membership;

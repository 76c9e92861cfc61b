/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Rendezvous of ranks in several JVMs through JGroups over TCP: rank 0 is found by its address, the others join it.
 * {@link dev.transload.rendezvous.jgroups.JGroupsRendezvous} is the way in; the rest carries and checks what ranks say.
 * The package knows JGroups, the rendezvous API and Typesafe Config, but no engine and no transport.
 */
package dev.transload.rendezvous.jgroups;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Rendezvous of ranks in several JVMs through JGroups over TCP. Rank 0 has a known address, at which the other ranks
 * join.
 * The entry point is {@link dev.transload.rendezvous.jgroups.JGroupsRendezvous}; the other classes carry and check
 * messages.
 * The package uses JGroups, the rendezvous API and Typesafe Config, but neither the engine nor a transport.
 */
package dev.transload.rendezvous.jgroups;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The roles of combine, the way back: sender at the expert's rank, forwarder that sums a node's rows, receiver at home.
 * Its rings are its own; within the node each has one cursor per home node, so that no home blocks another.
 * The package knows links, routes and memory; its roles meet each other only in cursors and signals.
 */
package dev.transload.engine.combine;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Where rows go and came from: the tables of one dispatch as its home, its forwarders and its expert ranks know them.
 * Plain arrays which grow to the largest call and are reused; whoever dispatches again with a handle reads them only.
 * The package knows sizes; nothing of transports, rings or roles.
 */
package dev.transload.engine.route;

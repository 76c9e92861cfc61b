/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The world of an engine as sizes: the stages of the pipeline, and the lengths of channels, rings and rows.
 * They follow from the configuration and the place of the rank, and are equal on every rank but for that place.
 * The package uses the public records of the engine; nothing of messages, transports, calls or roles.
 */
package dev.transload.engine.world;

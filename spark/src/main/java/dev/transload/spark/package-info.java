/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Worlds of ranks formed by the tasks of a Spark barrier stage.
 * The package uses the engine, the rendezvous over JGroups and Spark's public Java API. It avoids classes that differ
 * between Scala 2.12 and 2.13, so one jar serves both.
 */
package dev.transload.spark;

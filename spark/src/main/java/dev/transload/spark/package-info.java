/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Tasks of a barrier stage of Spark as the ranks of a world. It uses the engine, the rendezvous over JGroups and
 * Spark's public API for Java. What differs between Scala 2.12 and 2.13 it does not use, so that one jar serves both.
 */
package dev.transload.spark;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Batch inference of a Mixture-of-Experts layer over a {@code Dataset}. It is in a jar of its own, for spark-submit. It
 * uses the module as a program of users does.
 */
package dev.transload.spark.example;

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

/** How calls into UCX are to be made. */
public enum UcpBinding
{
    /** By JNI where its shim can be loaded, else by JNA, which is said in the log. */
    AUTO,

    /** By our own JNI shim. */
    JNI,

    /** By JNA. */
    JNA
}

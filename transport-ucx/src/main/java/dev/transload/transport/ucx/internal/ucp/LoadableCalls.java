/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

/** Calls whose library is still to be opened; what UCX reads while it is loaded can be set before that. */
interface LoadableCalls extends UcpCalls
{
    /** Set a variable of this process's environment unless it is set; {@link System#getenv()} doesn't show it. */
    void setEnvironment(String variable, String value);

    /**
     * Open UCX: the same library that jucx is linked with, hence one instance of it in the process. Any other call is
     * allowed only after this has succeeded.
     *
     * @param library its name for the dynamic linker.
     * @return null, or what is wrong with it in the linker's words; what was opened before then stays open.
     */
    String open(String library);
}

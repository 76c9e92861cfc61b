/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What Java cannot do: pass open files from process to process. FileCalls.java says what each function does. */

#define _GNU_SOURCE

#include <errno.h>
#include <jni.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_nvlink_internal_files_FileCalls_##name
#define UNUSED __attribute__((unused))
#define CALL JNIEnv *env UNUSED, jclass type UNUSED
#define POINTER(handle) ((void *)(uintptr_t)(handle))

enum
{
    BACKLOG = 128
};

/* Room for one descriptor beside a packet, aligned as the system wants it. */
union control
{
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* 0, or the negated error: the path is too long. */
static int address_of(JNIEnv *env, jstring path, struct sockaddr_un *address)
{
    const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
    if (NULL == chars)
    {
        return -ENOMEM;
    }

    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    const int result = strlen(chars) < sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
    if (0 == result)
    {
        strcpy(address->sun_path, chars);
    }

    (*env)->ReleaseStringUTFChars(env, path, chars);
    return result;
}

/* The negated error, and the descriptor closed. */
static int give_up(int descriptor)
{
    const int error = errno;
    close(descriptor);
    return -error;
}

NATIVE(jint, listen)(CALL, jstring path)
{
    struct sockaddr_un address;
    const int found = address_of(env, path, &address);
    const int made = 0 == found ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (made < 0)
    {
        return 0 == found ? -errno : found;
    }

    return 0 == bind(made, (const struct sockaddr *)&address, sizeof(address)) && 0 == listen(made, BACKLOG) ?
        made : give_up(made);
}

NATIVE(jint, connect)(CALL, jstring path, jint timeout_ms)
{
    struct sockaddr_un address;
    const struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    const int found = address_of(env, path, &address);
    const int made = 0 == found ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (made < 0)
    {
        return 0 == found ? -errno : found;
    }

    return 0 == setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) &&
        0 == setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) &&
        0 == connect(made, (const struct sockaddr *)&address, sizeof(address)) ? made : give_up(made);
}

NATIVE(jint, accept)(CALL, jint socket)
{
    const int accepted = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return accepted >= 0 ? accepted : -errno;
}

NATIVE(jint, send)(CALL, jint socket, jlong packet, jint length, jint file)
{
    union control control;
    struct iovec part = {POINTER(packet), (size_t)length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0)
    {
        memset(&control, 0, sizeof(control));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &file, sizeof(int));
    }

    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    return sent >= 0 ? (jint)sent : -errno;
}

NATIVE(jint, receive)(CALL, jint socket, jlong packet, jint length, jlong file)
{
    union control control;
    struct iovec part = {POINTER(packet), (size_t)length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    int descriptor = -1;
    ssize_t received;
    do
    {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    }
    while (received < 0 && EINTR == errno);
    const struct cmsghdr *header = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (NULL != header && SOL_SOCKET == header->cmsg_level && SCM_RIGHTS == header->cmsg_type)
    {
        memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
    }

    memcpy(POINTER(file), &descriptor, sizeof(int));
    return received >= 0 ? (jint)received : -errno;
}

NATIVE(jint, close)(CALL, jint descriptor)
{
    return 0 == close(descriptor) ? 0 : -errno;
}

NATIVE(jstring, errorText)(CALL, jint error)
{
    return (*env)->NewStringUTF(env, strerror(error));
}

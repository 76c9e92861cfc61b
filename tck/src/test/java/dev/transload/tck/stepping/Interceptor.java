/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Answers some methods of an object; the others are the object's own. */
abstract class Interceptor
{
    /** Stands for a method that the object itself answers. */
    static final Object PASS = new Object();

    abstract Object answer(String method, Object[] arguments);

    <T> T around(final Class<T> type, final T object)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> call(object, method, arguments)));
    }

    private Object call(final Object object, final Method method, final Object[] arguments) throws Throwable
    {
        final Object answer = answer(method.getName(), arguments);
        try
        {
            return PASS == answer ? method.invoke(object, arguments) : answer;
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }
}

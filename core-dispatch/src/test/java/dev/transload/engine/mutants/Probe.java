/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A test of the gate, or one world of it.
 *
 * @param testClass of the test.
 * @param method    of it.
 * @param arguments of the method: numbers, booleans, strings, or names of an enum's values.
 */
record Probe(String testClass, String method, List<Object> arguments)
{
    Probe(final String testClass, final String method, final Object... arguments)
    {
        this(testClass, method, List.of(arguments));
    }

    /** Run it on the classes that a loader defines; returns what it fails with, or null. */
    Throwable run(final ClassLoader loader)
    {
        try
        {
            final Class<?> owner = loader.loadClass(testClass);
            final Method found = Stream.of(owner.getDeclaredMethods(), owner.getMethods()).flatMap(Arrays::stream)
                .filter((one) -> one.getName().equals(method) && one.getParameterCount() == arguments.size())
                .findFirst().orElseThrow(() -> new NoSuchMethodException(testClass + " has no " + method));
            final Constructor<?> constructor = owner.getDeclaredConstructor();
            constructor.setAccessible(true);
            found.setAccessible(true);
            found.invoke(constructor.newInstance(), arguments(found.getParameterTypes()));
            return null;
        }
        catch (final InvocationTargetException ex)
        {
            return ex.getCause();
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("the probe " + this + " cannot be run: adapt EngineMutants", ex);
        }
    }

    /** Enums, which the loader defines anew, are given by name. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object[] arguments(final Class<?>[] types)
    {
        final Object[] given = arguments.toArray();
        for (int i = 0; i < given.length; i++)
        {
            if (types[i].isEnum())
            {
                given[i] = Enum.valueOf((Class<? extends Enum>)types[i], (String)given[i]);
            }
        }

        return given;
    }

    /** Whether it is one world of a property test, whose seeds the gate runs from 1 on. */
    boolean isOfASeed()
    {
        return testClass.endsWith("PropertyTest");
    }

    /** The same of another seed. */
    Probe of(final long seed)
    {
        return new Probe(testClass, method, seed);
    }

    @Override
    public String toString()
    {
        return testClass.substring(testClass.lastIndexOf('.') + 1) + "#" + method + arguments;
    }
}

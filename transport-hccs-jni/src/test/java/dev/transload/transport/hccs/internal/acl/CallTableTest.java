/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The shim, the document and the tests know the same functions and codes of the runtime. */
class CallTableTest
{
    private static final Path SHIM = Path.of("src", "main", "c", "transload_acl.c");
    private static final Path DOCUMENT = Path.of("..", "docs", "hccs.md");
    private static final Pattern DECLARED = Pattern.compile("FUNCTION\\([^,]+, (acl\\w+), ");
    private static final Pattern ROW = Pattern.compile("\\| (`acl.+?) \\| .+? \\| (required|optional) \\| .+ \\|");
    private static final Pattern NAME = Pattern.compile("`(acl\\w+)`");
    private static final Pattern CODE = Pattern.compile("\\| (\\d{6}) \\| `(\\w+)` \\| .+ \\|");

    /** Of which no code is to be had, or none that matters: a thread without a device, a version that is not told. */
    private static final Set<String> NEVER_FAIL =
        Set.of("aclGetRecentErrMsg", "aclrtGetSocName", "aclrtGetDevice", "aclsysGetCANNVersion");

    @Test
    void shouldDocumentEachFunctionOfTheShim() throws IOException
    {
        final Map<String, String> documented = new TreeMap<>();
        for (final String line : Files.readAllLines(DOCUMENT))
        {
            final Matcher row = ROW.matcher(line);
            if (row.matches())
            {
                NAME.matcher(row.group(1)).results()
                    .forEach((name) -> documented.put(name.group(1), row.group(2)));
            }
        }

        assertFalse(documented.isEmpty());
        assertEquals(declared(), documented);
    }

    @Test
    void shouldLetEachFunctionOfTheShimFailOnce() throws IOException
    {
        final Set<String> failed = new TreeSet<>(AclFailureTest.CALLS);
        assertEquals(AclFailureTest.CALLS.size(), failed.size());
        failed.addAll(NEVER_FAIL);
        assertEquals(declared().keySet(), failed);
    }

    @Test
    void shouldDocumentEachCode() throws IOException
    {
        final List<String> documented = Files.readAllLines(DOCUMENT).stream().map(CODE::matcher)
            .filter(Matcher::matches).map((row) -> row.group(1) + " " + row.group(2)).toList();
        assertEquals(AclCode.ALL.stream().map((code) -> code.code() + " " + code.name()).collect(Collectors.toList()),
            documented);
    }

    /** From functions to whether the library is refused without them. */
    private static Map<String, String> declared() throws IOException
    {
        final String shim = Files.readString(SHIM);
        final int optional = shim.indexOf("#define OPTIONAL(FUNCTION)");
        final Map<String, String> declared = new TreeMap<>();
        DECLARED.matcher(shim).results().forEach((function) ->
            declared.put(function.group(1), function.start() < optional ? "required" : "optional"));
        return declared;
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest
{
    private static final Pattern DATA =
        Pattern.compile("<script type=\"application/json\" id=\"data\">([^<]*)</script>");

    @ParameterizedTest
    @ValueSource(strings = {
        "</script><script>alert(1)</script>", "<!--<script>", "]]>", "a & b &lt; \"c\" 'd'",
        "{{script}} {{data}} $1 \\", "line\u2028separator\nand \u0000" })
    void shouldKeepHostileNamesWithinTheData(final String name) throws Exception
    {
        final ObjectNode data = JsonNodeFactory.instance.objectNode().put(name, name).put("page", "run");
        final String page = Page.of("title", data);
        final Matcher block = DATA.matcher(page);

        assertTrue(block.find());
        assertEquals(data, new ObjectMapper().readTree(block.group(1)));
        assertEquals(2, page.split("<script", -1).length - 1, "the data and the script are all");
        assertEquals(2, page.split("</script", -1).length - 1);
    }

    @Test
    void shouldShowAHostileTitleAsText()
    {
        final String page = Page.of("<img src=a> \"&\" {{data}}", JsonNodeFactory.instance.objectNode());
        assertTrue(page.contains("<title>&lt;img src=a&gt; &quot;&amp;&quot; {{data}}</title>"), page);
        assertFalse(page.contains("<img"));
    }

    @Test
    void shouldReferToNothingOutside()
    {
        final String page = Page.of("title", JsonNodeFactory.instance.objectNode());
        for (final String reference : new String[]{
            "http:", "https:", "//", "src=", "href=", "url(", "@import", "fetch(", "XMLHttp", "import(", "<link" })
        {
            assertFalse(page.contains(reference), reference);
        }
    }

    @Test
    void shouldAllowItsOwnScriptAndStyleOnly() throws Exception
    {
        final String page = Page.of("title", JsonNodeFactory.instance.objectNode());
        final Matcher policy = Pattern.compile(
            "content=\"default-src 'none'; style-src '([^']+)'; script-src '([^']+)';").matcher(page);

        assertTrue(policy.find());
        assertEquals(hash(between(page, "<style>", "</style>")), policy.group(1));
        assertEquals(hash(between(page, "<script>", "</script>")), policy.group(2));
    }

    private static String between(final String page, final String begin, final String end)
    {
        final int from = page.indexOf(begin) + begin.length();
        return page.substring(from, page.indexOf(end, from));
    }

    private static String hash(final String text) throws Exception
    {
        return "sha256-" + Base64.getEncoder().encodeToString(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.TokenName;
import dev.transload.cli.rank.RankReport.TokenReport;
import dev.transload.engine.TokenRoute;
import dev.transload.engine.World;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Has all ranks look a token up in their tables. The source rank tells where its streams have it; their relays look
 * there, and tell which output rows it goes to; the ranks of these look there.
 */
final class TokenExplanation
{
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Rendezvous rendezvous;
    private final World world;
    private final TokenRoute route;
    private final TokenName token;

    TokenExplanation(
        final Rendezvous rendezvous, final World world, final TokenRoute route, final TokenName token)
    {
        this.rendezvous = rendezvous;
        this.world = world;
        this.route = route;
        this.token = token;
    }

    /** Collective: what this rank contributes; null for parts that are other ranks'. */
    TokenReport ask()
    {
        final TokenRoute.Source own = world.rank() == token.rank() ? route.source(token.token()) : null;
        final TokenRoute.Source source =
            read(gather("cli.token-source", own).get(token.rank()), TokenRoute.Source.class);
        final TokenRoute.Relay relay = source.streams().stream().filter((stream) -> stream.relay() == world.rank())
            .map((stream) -> route.relay(token.rank(), source.channel(), stream.position())).findAny().orElse(null);
        TokenRoute.Output output = null;
        for (final ByteBuffer theirs : gather("cli.token-relays", relay))
        {
            final TokenRoute.Relay one = read(theirs, TokenRoute.Relay.class);
            final List<TokenRoute.Place> places = null == one ? List.of() : one.places();
            for (final TokenRoute.Place place : places)
            {
                if (place.rank() == world.rank() && null == output)
                {
                    output = route.output(token.rank(), source.channel(), place.row());
                }
            }
        }

        return new TokenReport(token, world.node(), own, relay, output);
    }

    private List<ByteBuffer> gather(final String topic, final Object part)
    {
        try
        {
            return rendezvous.allGather(topic, ByteBuffer.wrap(JSON.writeValueAsBytes(part)), RunChecks.MEETING);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a part of a token's way cannot be written", ex);
        }
    }

    private static <T> T read(final ByteBuffer part, final Class<T> type)
    {
        try
        {
            return JSON.readValue(StandardCharsets.UTF_8.decode(part.duplicate()).toString(), type);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a part of a token's way cannot be read", ex);
        }
    }
}

/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.engine.internal.membership.Message.Accept;
import dev.transload.engine.internal.membership.Message.Accepted;
import dev.transload.engine.internal.membership.Message.Commit;
import dev.transload.engine.internal.membership.Message.Envelope;
import dev.transload.engine.internal.membership.Message.Prepare;
import dev.transload.engine.internal.membership.Message.Promise;
import dev.transload.engine.internal.membership.Message.Refused;
import dev.transload.engine.internal.membership.Message.Report;
import dev.transload.engine.internal.membership.Message.Return;
import dev.transload.engine.internal.membership.Message.Vote;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each message means the same to its receiver. */
class MessageCodecTest
{
    private static final int PREFIX = -1;

    private final Random random = new Random(27);

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 63, 64, 65, 200, 4096 })
    void shouldReadWhatWasWritten(final int size)
    {
        final MessageCodec codec = new MessageCodec(size);
        for (final Message message : messages(size))
        {
            final Envelope envelope = new Envelope(random.nextInt(size), message);
            final ByteBuffer bytes = codec.encode(PREFIX, envelope);
            assertEquals(PREFIX, bytes.getInt());
            assertEquals(envelope, codec.decode(bytes.slice().asReadOnlyBuffer()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 65 })
    void shouldRefuseWhatIsCutShort(final int size)
    {
        final MessageCodec codec = new MessageCodec(size);
        for (final Message message : messages(size))
        {
            final ByteBuffer bytes = codec.encode(PREFIX, new Envelope(0, message));
            bytes.getInt();
            bytes.limit(bytes.limit() - 1);
            assertThrows(IllegalArgumentException.class, () -> codec.decode(bytes), message::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(bytes = { 0, 9, -1 })
    void shouldRefuseAnUnknownKind(final byte kind)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(64).putInt(0).put(kind).putInt(0).rewind();
        assertThrows(IllegalArgumentException.class, () -> new MessageCodec(4).decode(bytes));
    }

    private List<Message> messages(final int size)
    {
        final GroupView view = view(size);
        final List<Message> messages = List.of(new Report(3, ranks(size)), new Prepare(0, 17),
            new Promise(1, 9, ranks(size), ranks(size), 5_000_000_000L, null),
            new Promise(1, 9, ranks(size), ranks(size), 7, new Vote(4, view)), new Accept(2, new Vote(11, view)),
            new Accepted(2, Integer.MAX_VALUE), new Refused(2, 0), new Commit(view), new Return(Long.MIN_VALUE));
        assertFalse(messages.stream().anyMatch((message) -> message.epoch() < -1));
        return messages;
    }

    private GroupView view(final int size)
    {
        final List<Long> lives = new ArrayList<>();
        for (int rank = 0; rank < size; rank++)
        {
            lives.add(random.nextLong());
        }

        return new GroupView(random.nextInt(1_000), ranks(size), ranks(size), lives, random.nextLong());
    }

    private RankSet ranks(final int size)
    {
        return RankSet.of(random.ints(size, 0, size).toArray());
    }
}

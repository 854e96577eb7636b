package io.lowkiq.store.job;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * One payload on its way into a shard.
 *
 * @param score null for the default score (I2)
 * @param performAt milliseconds since 1970; null for now or now plus {@code delay}
 * @param delay milliseconds from now by the store's clock
 * @param producer null if that is not traced
 * @param origin where it has waited as a follow-up; null if it is none
 * @param next {@link FollowUp#toBytes()} of what is enqueued when it is done, or null.
 * Payloads that are followed by different things are different payloads
 */
@SuppressWarnings("ArrayRecordComponent")
public record NewPayload(String id, byte[] payload, @Nullable Double score, @Nullable Long performAt, long delay,
		@Nullable TracedProducer producer, @Nullable Origin origin, byte @Nullable [] next) {

	/** As text, if it is one, and not more than its beginning. */
	@Override
	public String toString() {
		return "NewPayload[id=%s, payload=%s, score=%s, performAt=%s, delay=%s, origin=%s%s]".formatted(
				LogText.of(this.id), text(this.payload), this.score, this.performAt, this.delay, this.origin,
				(this.next != null) ? ", followed by another" : "");
	}

	private static String text(byte[] bytes) {
		try {
			return LogText.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
		}
		catch (CharacterCodingException ex) {
			return bytes.length + " bytes that are no text";
		}
	}

	/** A payload that is no follow-up. */
	public NewPayload(String id, byte[] payload, @Nullable Double score, @Nullable Long performAt, long delay,
			@Nullable TracedProducer producer) {
		this(id, payload, score, performAt, delay, producer, null, null);
	}

	/** A payload whose producer is not traced. */
	public NewPayload(String id, byte[] payload, @Nullable Double score, @Nullable Long performAt, long delay) {
		this(id, payload, score, performAt, delay, null);
	}

	/** A payload that is due at once, with the default score. */
	public static NewPayload of(String id, byte[] payload) {
		return new NewPayload(id, payload, null, null, 0);
	}

	/** A copy with a score. */
	public NewPayload withScore(double score) {
		return new NewPayload(this.id, this.payload, score, this.performAt, this.delay, this.producer, this.origin,
				this.next);
	}

	/** A copy that is due at milliseconds since 1970. */
	public NewPayload withPerformAt(long performAt) {
		return new NewPayload(this.id, this.payload, this.score, performAt, 0, this.producer, this.origin, this.next);
	}

	public NewPayload withDelay(Duration delay) {
		return new NewPayload(this.id, this.payload, this.score, null, delay.toMillis(), this.producer, this.origin,
				this.next);
	}

	public NewPayload by(@Nullable TracedProducer producer) {
		return new NewPayload(this.id, this.payload, this.score, this.performAt, this.delay, producer, this.origin,
				this.next);
	}

	/** A copy that is a follow-up. */
	public NewPayload from(Origin origin) {
		return new NewPayload(this.id, this.payload, this.score, this.performAt, this.delay, this.producer, origin,
				this.next);
	}

	/** A copy that is followed by {@link FollowUp#toBytes()}, or null. */
	public NewPayload followedBy(byte @Nullable [] next) {
		return new NewPayload(this.id, this.payload, this.score, this.performAt, this.delay, this.producer, this.origin,
				next);
	}

}

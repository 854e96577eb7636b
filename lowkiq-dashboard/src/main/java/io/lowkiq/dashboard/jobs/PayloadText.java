package io.lowkiq.dashboard.jobs;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.Payload;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A payload as people look at it.
 *
 * @param score orders the payloads of one id
 * @param bytes the length of the stored bytes
 * @param kind what the text is
 * @param text the text, formatted if it is JSON; null if payloads are hidden
 * @param cut whether the text is only the beginning
 * @param then the steps that follow when the payload is done
 */
public record PayloadText(double score, int bytes, Kind kind, @Nullable String text, boolean cut, List<Step> then) {

	/** A step of a chain. */
	record Step(String queue, String id) {
	}

	private PayloadText with(List<Step> steps) {
		return new PayloadText(this.score, this.bytes, this.kind, this.text, this.cut, steps);
	}

	/** The kind of a payload's text. */
	public enum Kind {

		/** A JSON document, formatted. */
		JSON,

		/** Text in UTF-8 that isn't JSON. */
		TEXT,

		/** Bytes that aren't UTF-8; what can't be read is replaced by U+FFFD. */
		BROKEN,

		/** A text that a {@link PayloadMasker} made. */
		MASKED,

		/** Not shown. */
		HIDDEN

	}

	/** Turns payloads into text. Immutable. */
	public static final class Renderer {

		/** A longer text is not taken for JSON. */
		public static final int MAX_FORMATTED = 262_144;

		private final PayloadVisibility visibility;

		private final PayloadMasker masker;

		private final JsonMapper mapper = JsonMapper.builder()
			.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.build();

		/** Creates a renderer. */
		public Renderer(PayloadVisibility visibility, PayloadMasker masker) {
			this.visibility = visibility;
			this.masker = masker;
		}

		/** How much is shown. */
		public PayloadVisibility visibility() {
			return this.visibility;
		}

		/** How many payloads of a job are read: one for its score if they are hidden. */
		public int read(int most) {
			return (this.visibility == PayloadVisibility.HIDDEN) ? 1 : most;
		}

		/** How many of the payloads that were read are shown: none if they are hidden. */
		int shown() {
			return (this.visibility == PayloadVisibility.HIDDEN) ? 0 : Integer.MAX_VALUE;
		}

		/** Turns a payload into text. */
		public PayloadText render(String queue, String id, Payload payload, int maxCharacters) {
			PayloadText text = switch (this.visibility) {
				case HIDDEN, SIGNED_IN ->
					new PayloadText(payload.score(), payload.bytes().length, Kind.HIDDEN, null, false, List.of());
				case MASKED -> cut(payload, Kind.MASKED, masked(queue, id, payload), maxCharacters);
				case SHOWN -> shown(payload, maxCharacters);
			};
			return text
				.with(payload.steps().stream().map((step) -> new Step(step.queue(), step.payload().id())).toList());
		}

		private String masked(String queue, String id, Payload payload) {
			String text = new String(payload.bytes(), StandardCharsets.UTF_8);
			try {
				String masked = this.masker.mask(queue, id, text);
				String formatted = formatted(masked);
				return (formatted != null) ? formatted : masked;
			}
			catch (RuntimeException ex) {
				// A masker that can't cope with a payload must not show it
				return PayloadMasker.MASK;
			}
		}

		private PayloadText shown(Payload payload, int maxCharacters) {
			String text = strict(payload.bytes());
			if (text == null) {
				return cut(payload, Kind.BROKEN, new String(payload.bytes(), StandardCharsets.UTF_8), maxCharacters);
			}
			String formatted = formatted(text);
			return (formatted != null) ? cut(payload, Kind.JSON, formatted, maxCharacters)
					: cut(payload, Kind.TEXT, text, maxCharacters);
		}

		private static PayloadText cut(Payload payload, Kind kind, String text, int maxCharacters) {
			return new PayloadText(payload.score(), payload.bytes().length, kind,
					LogText.beginning(text, maxCharacters), text.length() > maxCharacters, List.of());
		}

		private static @Nullable String strict(byte[] bytes) {
			try {
				return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
			}
			catch (CharacterCodingException ex) {
				return null;
			}
		}

		/** JSON without blanks between its parts; null if it is none. */
		public @Nullable String compact(String text) {
			try {
				this.mapper.readTree(text);
				return JsonText.compact(text);
			}
			catch (JacksonException ex) {
				return null;
			}
		}

		private @Nullable String formatted(String text) {
			if (text.length() > MAX_FORMATTED) {
				return null;
			}
			try {
				this.mapper.readTree(text);
				return JsonText.pretty(text);
			}
			catch (JacksonException ex) {
				return null;
			}
		}

	}

}

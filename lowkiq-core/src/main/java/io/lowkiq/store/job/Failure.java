package io.lowkiq.store.job;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.internal.LogText;

/**
 * The text of the last failure, cut to {@value Outcome#MAX_ERROR_BYTES} bytes of UTF-8,
 * and the last {@value #MAX_ATTEMPTS} attempts, the oldest first.
 */
public record Failure(String text, List<Attempt> attempts) {

	/** The maximum number of attempts kept. */
	public static final int MAX_ATTEMPTS = 10;

	private static final int MAX_CHARACTERS = 200;

	/** Cuts the text and keeps the last attempts. */
	public Failure {
		text = cut(text);
		attempts = List.copyOf(attempts.subList(Math.max(0, attempts.size() - MAX_ATTEMPTS), attempts.size()));
	}

	public Failure(String text) {
		this(text, List.of());
	}

	/**
	 * A failed attempt, from 1 on, in milliseconds since 1970 by the clock of its node.
	 * The first line of the failure and the node's name are cut at 200 characters.
	 */
	public record Attempt(int attempt, long at, String node, String error) {

		public Attempt {
			node = firstLine(node);
			error = firstLine(error);
		}

		private static String firstLine(String text) {
			return LogText.beginning(text, MAX_CHARACTERS).lines().findFirst().orElse("");
		}

	}

	/**
	 * The longest beginning of whole characters with at most
	 * {@link Outcome#MAX_ERROR_BYTES} bytes in UTF-8.
	 */
	private static String cut(String text) {
		if (text.length() <= Outcome.MAX_ERROR_BYTES / 3) {
			return text;
		}
		CharBuffer source = CharBuffer.wrap(text);
		ByteBuffer room = ByteBuffer.allocate(Outcome.MAX_ERROR_BYTES);
		StandardCharsets.UTF_8.newEncoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.onUnmappableCharacter(CodingErrorAction.REPLACE)
			.encode(source, room, true);
		return text.substring(0, source.position());
	}

}

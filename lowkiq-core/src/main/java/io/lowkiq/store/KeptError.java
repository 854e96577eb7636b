package io.lowkiq.store;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * The record of a job's failures, and the form in which the store keeps it: the text of
 * the last failure, and in a line of its own at the end the last attempts as JSON, behind
 * a mark that no text of a failure contains. Immutable.
 *
 * @param text the text of the last failure
 * @param attempts the attempts that have failed, the oldest first; at most
 * {@value #MAX_ATTEMPTS}, the last ones
 */
public record KeptError(String text, List<Attempt> attempts) {

	/** The maximum number of attempts kept. */
	public static final int MAX_ATTEMPTS = 10;

	private static final int MAX_CHARACTERS = 200;

	private static final char MARK = '\u0001';

	/** Replaces the mark in the text of a failure. */
	private static final char NO_MARK = '\uFFFD';

	private static final String BEGINNING = "\n" + MARK + "attempts ";

	/**
	 * Keeps the last attempts.
	 */
	public KeptError {
		attempts = List.copyOf(attempts.subList(Math.max(0, attempts.size() - MAX_ATTEMPTS), attempts.size()));
	}

	/**
	 * An attempt that failed.
	 *
	 * @param attempt its number, 1 for the first one
	 * @param at when it failed, in milliseconds since 1970 by the clock of its node
	 * @param node the name of the node
	 * @param error the first line of the failure; it and the node's name are cut at 200
	 * characters
	 */
	public record Attempt(int attempt, long at, String node, String error) {

		public Attempt {
			node = firstLine(node);
			error = firstLine(error);
		}

		private static String firstLine(String text) {
			String line = text.substring(0, Math.min(text.length(), MAX_CHARACTERS)).lines().findFirst().orElse("");
			boolean endsWithHalf = line.length() == MAX_CHARACTERS
					&& Character.isHighSurrogate(line.charAt(MAX_CHARACTERS - 1));
			return endsWithHalf ? line.substring(0, MAX_CHARACTERS - 1) : line;
		}

	}

	/**
	 * Reads what the store keeps. A last line of another form belongs to the text.
	 * @param kept what is kept of the last failure
	 * @return the text and the attempts
	 */
	public static KeptError parse(String kept) {
		int end = kept.lastIndexOf(BEGINNING);
		List<Attempt> attempts = (end >= 0) ? readAttempts(kept.substring(end + BEGINNING.length())) : null;
		return (attempts != null) ? new KeptError(kept.substring(0, end), attempts) : new KeptError(kept, List.of());
	}

	/** The attempts; null if it isn't exactly what is written. */
	private static @Nullable List<Attempt> readAttempts(String json) {
		if (json.indexOf('\n') >= 0) {
			return null;
		}
		try {
			JsonNode array = JsonMapper.shared()
				.reader()
				.with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
				.readTree(json);
			if (!array.isArray() || array.isEmpty() || array.size() > MAX_ATTEMPTS) {
				return null;
			}
			List<Attempt> attempts = new ArrayList<>();
			for (JsonNode each : array) {
				JsonNode number = each.path("attempt");
				JsonNode at = each.path("at");
				JsonNode node = each.path("node");
				JsonNode error = each.path("error");
				if (!number.isInt() || number.intValue() < 1 || !at.isIntegralNumber() || !at.canConvertToLong()
						|| !node.isString() || !error.isString()) {
					return null;
				}
				attempts.add(new Attempt(number.intValue(), at.longValue(), node.stringValue(), error.stringValue()));
			}
			return attempts;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * The form in which the store keeps it, of at most {@link Outcome#MAX_ERROR_BYTES}
	 * bytes in UTF-8: if it is too long, the end of the text is left out.
	 * @return what {@link #parse} reads
	 */
	public String kept() {
		String safe = this.text.replace(MARK, NO_MARK);
		if (this.attempts.isEmpty()) {
			return cut(safe);
		}
		ArrayNode array = JsonMapper.shared().createArrayNode();
		this.attempts.forEach((attempt) -> array.addObject()
			.put("attempt", attempt.attempt())
			.put("at", attempt.at())
			.put("node", attempt.node())
			.put("error", attempt.error()));
		String line = BEGINNING + array;
		return cut(safe, Outcome.MAX_ERROR_BYTES - line.getBytes(StandardCharsets.UTF_8).length) + line;
	}

	/**
	 * The longest beginning of a text that has at most {@link Outcome#MAX_ERROR_BYTES}
	 * bytes in UTF-8 and ends with a whole character.
	 */
	static String cut(String text) {
		return cut(text, Outcome.MAX_ERROR_BYTES);
	}

	private static String cut(String text, int bytes) {
		if (text.length() <= bytes / 3) {
			return text;
		}
		CharBuffer source = CharBuffer.wrap(text);
		ByteBuffer room = ByteBuffer.allocate(bytes);
		StandardCharsets.UTF_8.newEncoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.onUnmappableCharacter(CodingErrorAction.REPLACE)
			.encode(source, room, true);
		return text.substring(0, source.position());
	}

}

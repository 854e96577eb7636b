package io.lowkiq.store.inspection;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * The common traits of failures with the same cause: the class of the exception, and its
 * message without the values in it.
 *
 * @param type the class of the exception; null if the text doesn't begin with one
 * @param message the message with every number, UUID, hexadecimal number and quoted text
 * replaced, cut at {@value #MAX_CHARACTERS} characters; empty if there is none
 * @param key 16 hexadecimal digits made of both, the same on every node
 */
public record ErrorKind(@Nullable String type, String message, String key) {

	private static final int MAX_CHARACTERS = 200;

	/** A longer first line is cut before anything else. */
	private static final int MAX_READ = 400;

	/** The number of bytes of an error, in UTF-8, that suffice to tell its kind. */
	public static final int ENOUGH_BYTES = 3 * MAX_READ;

	private static final int KEY_BYTES = 8;

	private static final Pattern KEY = Pattern.compile("[0-9a-f]{16}");

	private static final Pattern TYPE = Pattern.compile("[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)+");

	private static final Pattern UUIDS = Pattern
		.compile("(?<![\\w-])\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}(?![\\w-])");

	/** An apostrophe within a word is no quote. */
	private static final Pattern QUOTED = Pattern.compile("(?<!\\w)'[^']*+'(?!\\w)|\"[^\"]*+\"|`[^`]*+`|“[^”]*+”");

	private static final Pattern HEXADECIMAL = Pattern
		.compile("\\b0[xX]\\p{XDigit}++|(?<!\\w)(?=[a-fA-F]*+\\d)\\p{XDigit}{8,}+(?!\\w)");

	private static final Pattern NUMBERS = Pattern.compile("\\d++([.,:]\\d++)*+");

	public static ErrorKind of(String error) {
		String line = firstLine(error);
		int colon = line.indexOf(':');
		String beginning = ((colon < 0) ? line : line.substring(0, colon)).strip();
		boolean isType = TYPE.matcher(beginning).matches();
		String type = isType ? beginning : null;
		String message = withoutValues(!isType ? line : (colon < 0) ? "" : line.substring(colon + 1).strip());
		return new ErrorKind(type, message, hash(((type != null) ? type : "") + '\n' + message));
	}

	/** Whether a text can be a {@link #key()}. */
	public static boolean isKey(String text) {
		return KEY.matcher(text).matches();
	}

	private static String firstLine(String error) {
		String text = LogText.beginning(error, MAX_READ);
		int end = text.indexOf('\n');
		return ((end < 0) ? text : text.substring(0, end)).strip();
	}

	private static String withoutValues(String message) {
		String text = UUIDS.matcher(message).replaceAll("#");
		text = QUOTED.matcher(text).replaceAll("'…'");
		text = HEXADECIMAL.matcher(text).replaceAll("#");
		return LogText.beginning(NUMBERS.matcher(text).replaceAll("#"), MAX_CHARACTERS);
	}

	private static String hash(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}

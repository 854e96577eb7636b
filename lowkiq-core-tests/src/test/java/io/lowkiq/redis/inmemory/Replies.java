package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** Replies as text that can be compared. */
public final class Replies {

	/** How Redis 6 words the error of a script. */
	private static final Pattern REDIS_6 = Pattern
		.compile("ERR Error running script \\(call to f_[0-9a-f]{40}\\): @user_script:(\\d+): (.*)");

	/** How Redis 7 does. */
	private static final Pattern REDIS_7 = Pattern.compile("(.*) script: [0-9a-f]{40}, on @user_script:(\\d+)\\.");

	private Replies() {
	}

	/** The reply of a call, or the exception with which it ended. */
	public static @Nullable Object of(CompletableFuture<@Nullable Object> call) {
		try {
			return call.join();
		}
		catch (CompletionException ex) {
			return ex.getCause();
		}
	}

	public static String describe(@Nullable Object reply) {
		if (reply instanceof byte[] bytes) {
			return '"' + escape(bytes) + '"';
		}
		if (reply instanceof List<?> list) {
			return list.stream().map(Replies::describe).collect(Collectors.joining(", ", "[", "]"));
		}
		if (reply instanceof Throwable error) {
			return "error " + error(String.valueOf(error.getMessage()));
		}
		return (reply instanceof String) ? "status " + reply : String.valueOf(reply);
	}

	/** The error of a script as its line and what it says, in any version of Redis. */
	private static String error(String message) {
		Matcher six = REDIS_6.matcher(message);
		if (six.matches()) {
			return "line " + six.group(1) + ": " + core(six.group(2));
		}
		Matcher seven = REDIS_7.matcher(message);
		return seven.matches() ? "line " + seven.group(2) + ": " + core(seven.group(1)) : message;
	}

	private static String core(String message) {
		return message.replaceFirst("^ERR ", "")
			.replaceFirst("^@?user_script: ?\\d+: ", "")
			.replaceFirst("^-?(ERR )?", "");
	}

	static String escape(byte[] bytes) {
		StringBuilder text = new StringBuilder();
		for (char c : new String(bytes, StandardCharsets.ISO_8859_1).toCharArray()) {
			text.append((c >= ' ' && c <= '~') ? String.valueOf(c) : "\\x%02x".formatted((int) c));
		}
		return text.toString();
	}

}

package io.lowkiq.dashboard.cluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/** Says in a sentence why Redis did not do what it was asked. */
public final class RedisTrouble {

	/** The code that an error reply begins with; also within the message of a script. */
	private static final Pattern CODE = Pattern.compile(
			"\\b(NOPERM|NOAUTH|WRONGPASS|OOM|WRONGTYPE|READONLY|LOADING|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|BUSY)\\b");

	private static final Pattern SCRIPT = Pattern
		.compile("(?i)user_script|error running script|can't run this command");

	private static final Pattern TIMEOUT = Pattern.compile("(?i)time(d )?-?out");

	private RedisTrouble() {
	}

	/** Why a call failed. */
	public static String sentence(Throwable problem) {
		for (Throwable cause = problem; cause != null; cause = next(cause)) {
			String message = (cause.getMessage() != null) ? cause.getMessage() : "";
			Matcher code = CODE.matcher(message);
			if (code.find()) {
				return of(code.group(1), message);
			}
			if (SCRIPT.matcher(message).find()) {
				return "A script failed in Redis: " + firstLine(message);
			}
		}
		for (Throwable cause = problem; cause != null; cause = next(cause)) {
			if (TIMEOUT.matcher(cause.getClass().getSimpleName() + " " + cause.getMessage()).find()) {
				return "Redis doesn't respond.";
			}
		}
		return "Redis can't be reached.";
	}

	private static @Nullable Throwable next(Throwable cause) {
		return (cause.getCause() != cause) ? cause.getCause() : null;
	}

	private static String of(String code, String message) {
		return switch (code) {
			case "NOPERM" -> "Redis refused a command that its user may not run: " + firstLine(message);
			case "NOAUTH", "WRONGPASS" -> "Redis doesn't accept the application's user or password.";
			case "OOM" -> "Redis is full: it refuses commands that need memory.";
			case "WRONGTYPE" -> "A key in Redis has an unexpected type: something else uses the same key prefix.";
			case "READONLY" -> "Redis is a read-only replica.";
			case "LOADING" -> "Redis is loading its data.";
			case "MISCONF" -> "Redis can't save its data and refuses writes.";
			case "BUSY" -> "Redis is busy with a script.";
			default -> "Redis refused a command: " + firstLine(message);
		};
	}

	private static String firstLine(String message) {
		return LogText.of(message.lines().findFirst().orElse(""));
	}

}

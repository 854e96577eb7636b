package io.lowkiq.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.InvalidJobException;
import org.jspecify.annotations.Nullable;

/**
 * The place of the last job of a page, as the text that leads to the next one:
 * {@code f|r:number:line:id}, with {@code r} for a retry, and no line for a job that is
 * not in line.
 */
final class PageToken {

	private static final Pattern FORM = Pattern.compile("([fr]):(-?\\d{1,18}):(\\d{0,18}):(.*)", Pattern.DOTALL);

	private PageToken() {
	}

	static String of(JobPlace place) {
		return "%s:%d:%s:%s".formatted(place.retry() ? "r" : "f", (long) place.number(),
				place.isInLine() ? Long.toString(place.line()) : "", IdBytes.decode(place.id()));
	}

	static @Nullable JobPlace parse(@Nullable String token) {
		if (token == null) {
			return null;
		}
		Matcher matcher = FORM.matcher(token);
		if (!matcher.matches()) {
			throw new InvalidJobException("Not the token of a page: '%s'".formatted(token));
		}
		String line = matcher.group(3);
		return new JobPlace(Long.parseLong(matcher.group(2)),
				line.isEmpty() ? JobPlace.NOT_IN_LINE : Long.parseLong(line), IdBytes.encode(matcher.group(4)),
				matcher.group(1).equals("r"));
	}

}

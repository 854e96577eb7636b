package io.lowkiq.redis.wire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.InvalidJobException;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of {@code list.lua} begins: after {@code number:id}, an index, score or
 * cursor; without a number, at the first.
 */
public record PageToken(String number, String id) {

	private static final Pattern FORM = Pattern.compile("(-?[0-9.]+(?:e[+-]?\\d+)?|-?inf):(.*)", Pattern.DOTALL);

	public static PageToken parse(@Nullable String token) {
		if (token == null) {
			return new PageToken("", "");
		}
		Matcher matcher = FORM.matcher(token);
		if (!matcher.matches()) {
			throw new InvalidJobException("Invalid page token: '%s'".formatted(token));
		}
		return new PageToken(matcher.group(1), matcher.group(2));
	}

	@Override
	public String toString() {
		return this.number + ":" + this.id;
	}

}

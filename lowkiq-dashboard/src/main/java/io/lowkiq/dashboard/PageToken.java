package io.lowkiq.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import io.lowkiq.InvalidJobException;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of a whole queue ends. Jobs are ordered by value, then by shard, then as
 * the shard orders them; so the shards before this one are through with the value, and
 * those after it have not begun with it.
 *
 * @param value the value of the last job
 * @param shard the index of its shard
 * @param next the shard's own token; null if the shard is through
 */
record PageToken(String value, int shard, @Nullable String next) {

	String encode() {
		return this.shard + "." + encode(this.value) + "." + ((this.next != null) ? encode(this.next) : "");
	}

	static PageToken decode(String token) {
		try {
			String[] parts = token.split("\\.", -1);
			if (parts.length == 3) {
				return new PageToken(decodePart(parts[1]), Integer.parseInt(parts[0]),
						parts[2].isEmpty() ? null : decodePart(parts[2]));
			}
		}
		catch (IllegalArgumentException ex) {
			// The answer is below
		}
		throw new InvalidJobException("Not the token of a page");
	}

	private static String encode(String text) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	private static String decodePart(String text) {
		return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
	}

}

package io.lowkiq.dashboard.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.lowkiq.InvalidJobException;
import io.lowkiq.admin.store.SelectionWalk;
import org.jspecify.annotations.Nullable;

/**
 * Where a page of a whole queue ends: which shards it was merged from, and how far each
 * of them is. The shards before the first one are through; those after the last one have
 * not begun.
 *
 * @param places how far the shard of each place is, from the first one on
 */
public record PageToken(int first, List<Place> places) {

	private static final String END = "~";

	public PageToken {
		places = List.copyOf(places);
	}

	/**
	 * How far a shard is.
	 *
	 * @param after the shard's own token; null if it has not begun, or is through
	 * @param ended whether it is through
	 */
	record Place(@Nullable String after, boolean ended) {

		static final Place START = new Place(null, false);

		static final Place ENDED = new Place(null, true);

		static Place after(@Nullable String token) {
			return (token != null) ? new Place(token, false) : ENDED;
		}

		private String encode() {
			if (this.after == null) {
				return this.ended ? END : "";
			}
			return Base64.getUrlEncoder().withoutPadding().encodeToString(this.after.getBytes(StandardCharsets.UTF_8));
		}

		private static Place decode(String text) {
			if (text.isEmpty()) {
				return START;
			}
			return text.equals(END) ? ENDED
					: new Place(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8), false);
		}

	}

	/** The token as text that needs no escaping in a URL. */
	public String encode() {
		StringBuilder text = new StringBuilder().append(this.first);
		this.places.forEach((place) -> text.append('.').append(place.encode()));
		return text.toString();
	}

	/** The token of a walk from shard to shard. */
	public static PageToken of(SelectionWalk.Place place) {
		return new PageToken(place.shard(), List.of(new Place(place.after(), false)));
	}

	/**
	 * The place where such a walk continues.
	 * @throws InvalidJobException if this is the token of something else
	 */
	public SelectionWalk.Place single() {
		if (this.places.size() != 1 || this.places.get(0).ended()) {
			throw new InvalidJobException("Invalid page token");
		}
		return new SelectionWalk.Place(this.first, this.places.get(0).after());
	}

	/**
	 * Reads {@link #encode()}.
	 * @throws InvalidJobException if it is something else
	 */
	public static PageToken decode(String token) {
		try {
			String[] parts = token.split("\\.", -1);
			List<Place> places = new ArrayList<>();
			for (int i = 1; i < parts.length; i++) {
				places.add(Place.decode(parts[i]));
			}
			int first = Integer.parseInt(parts[0]);
			if (first >= 0 && !places.isEmpty()) {
				return new PageToken(first, places);
			}
		}
		catch (IllegalArgumentException ex) {
			// The answer is below
		}
		throw new InvalidJobException("Invalid page token");
	}

}

package io.lowkiq.redis.call;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.StoreException;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.job.IdBytes;
import org.jspecify.annotations.Nullable;

/**
 * A script's reply. Each element is validated: one that is missing or not of the expected
 * form is a {@link StoreException}.
 */
public record Reply(String task, List<@Nullable Object> values) {

	public int size() {
		return this.values.size();
	}

	public boolean isNull(int index) {
		return value(index) == null;
	}

	public long number(int index) {
		if (value(index) instanceof Long number) {
			return number;
		}
		throw unexpected(index);
	}

	/** An integer from 0 to {@link Integer#MAX_VALUE}. */
	public int count(int index) {
		long number = number(index);
		if (number < 0 || number > Integer.MAX_VALUE) {
			throw unexpected(index);
		}
		return (int) number;
	}

	/** In milliseconds since 1970; {@link FetchResult#NOTHING} for null. */
	public long time(int index) {
		return isNull(index) ? FetchResult.NOTHING : number(index);
	}

	public byte[] bytes(int index) {
		if (value(index) instanceof byte[] bytes) {
			return bytes;
		}
		throw unexpected(index);
	}

	public String text(int index) {
		return new String(bytes(index), StandardCharsets.UTF_8);
	}

	public String id(int index) {
		return IdBytes.decode(bytes(index));
	}

	/** A number that Redis sent as text, because a script can return integers only. */
	public double decimal(int index) {
		String text = text(index);
		try {
			return switch (text) {
				case "inf" -> Double.POSITIVE_INFINITY;
				case "-inf" -> Double.NEGATIVE_INFINITY;
				default -> Double.parseDouble(text);
			};
		}
		catch (NumberFormatException ex) {
			throw unexpected(index);
		}
	}

	@SuppressWarnings("unchecked")
	public Reply inner(int index) {
		if (value(index) instanceof List<?> inner) {
			return new Reply(this.task, (List<@Nullable Object>) inner);
		}
		throw unexpected(index);
	}

	private @Nullable Object value(int index) {
		if (index >= this.values.size()) {
			throw unexpected(index);
		}
		return this.values.get(index);
	}

	/** The exception for an element that is not of the expected form. */
	public StoreException unexpected(int index) {
		return new StoreException("Redis sent an unexpected reply when asked to %s, at element %s of %s"
			.formatted(this.task, index, size()), null);
	}

}

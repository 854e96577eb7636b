package io.lowkiq.dashboard.api;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A request to the JSON API.
 *
 * @param method the HTTP method in upper case
 * @param path the decoded segments of the path after {@code api/v1}
 * @param user who is signed in; null if nobody is
 * @param csrf what a request that changes something has to carry; null if nothing
 */
@SuppressWarnings("ArrayRecordComponent")
public record ApiRequest(String method, List<String> path, Map<String, List<String>> parameters, byte[] body,
		@Nullable String user, @Nullable CsrfHeader csrf) {

	/** The value of a parameter; null if it is missing or empty. */
	@Nullable String parameter(String name) {
		List<String> values = this.parameters.get(name);
		return (values == null || values.isEmpty() || values.get(0).isEmpty()) ? null : values.get(0);
	}

	/** The value of a parameter that is a time; null if it is missing or empty. */
	@Nullable Long time(String name) {
		String text = parameter(name);
		try {
			return (text != null) ? Long.valueOf(text) : null;
		}
		catch (NumberFormatException ex) {
			throw ApiException.badRequest("%s must be a time in milliseconds since 1970".formatted(name));
		}
	}

	/**
	 * The value of a numeric parameter.
	 * @throws ApiException if it isn't a number between least and most
	 */
	int number(String name, int otherwise, int least, int most) {
		String text = parameter(name);
		if (text == null) {
			return otherwise;
		}
		try {
			int number = Integer.parseInt(text);
			if (number >= least && number <= most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// The answer is below
		}
		throw ApiException
			.badRequest("%s must be between %s and %s".formatted(name.toLowerCase(Locale.ROOT), least, most));
	}

	/** The value of a parameter that names a constant. */
	<E extends Enum<E>> E constant(String name, Class<E> type, E otherwise) {
		String text = parameter(name);
		return (text != null) ? constant(type, name, text) : otherwise;
	}

	static <E extends Enum<E>> E constant(Class<E> type, String name, String label) {
		return Arrays.stream(type.getEnumConstants())
			.filter((constant) -> label(constant).equals(label))
			.findFirst()
			.orElseThrow(() -> ApiException.badRequest(name + " must be one of "
					+ Arrays.stream(type.getEnumConstants()).map(ApiRequest::label).collect(Collectors.joining(", "))));
	}

	private static String label(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}

package io.lowkiq.dashboard.http;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The host names by which callers who are not signed in may reach the dashboard. A page
 * of another site can let its own name lead to this server (DNS rebinding): the browser
 * then takes both for the same origin, but still sends that name. An IP address can't be
 * led elsewhere. Immutable.
 */
final class AllowedHosts {

	/** Allows every name. */
	private static final String ALL = "*";

	private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

	private final Set<String> names;

	AllowedHosts(Collection<String> names) {
		this.names = names.stream()
			.map((name) -> name.toLowerCase(Locale.ROOT))
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Whether a call may come by a name.
	 * @param host the header {@code Host}; null if there is none, which no browser does
	 */
	boolean allow(@Nullable String host) {
		if (host == null || this.names.contains(ALL)) {
			return true;
		}
		String name = name(host.trim().toLowerCase(Locale.ROOT));
		return name.startsWith("[") || IPV4.matcher(name).matches() || name.equals("localhost")
				|| name.endsWith(".localhost") || this.names.contains(name);
	}

	/** Without the port, and the dot that a full name may end in. */
	private static String name(String host) {
		int port = host.indexOf(':', host.indexOf(']') + 1);
		String name = (port >= 0) ? host.substring(0, port) : host;
		return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
	}

}

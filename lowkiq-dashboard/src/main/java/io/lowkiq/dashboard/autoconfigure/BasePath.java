package io.lowkiq.dashboard.autoconfigure;

import java.util.List;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.server.PathContainer;

/**
 * The path under which the dashboard is served.
 *
 * @param path begins with a slash and doesn't end in one; empty for the root
 */
record BasePath(String path) {

	/** No body of the API is longer than this number of bytes. */
	static final int MAX_BODY = 2 * 1024 * 1024;

	static BasePath of(LowkiqDashboardProperties properties) {
		String path = properties.path();
		if (!path.matches("(/[A-Za-z0-9._~-]+)+/?|/")) {
			throw new InvalidConfigurationPropertyValueException("lowkiq.dashboard.path", path,
					"it must begin with a slash, with letters, digits, '.', '_', '~' and '-' between slashes, as in "
							+ "'/lowkiq'; '/' is the root");
		}
		return new BasePath(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
	}

	/** The pattern of the routes. */
	String pattern() {
		return this.path + "/**";
	}

	List<String> segments(PathContainer withinApplication) {
		return withinApplication.elements()
			.stream()
			.filter(PathContainer.PathSegment.class::isInstance)
			.map((element) -> ((PathContainer.PathSegment) element).valueToMatch())
			.skip(depth())
			.toList();
	}

	boolean isRoot(PathContainer withinApplication) {
		return !this.path.isEmpty() && segments(withinApplication).isEmpty() && !endsInSlash(withinApplication);
	}

	boolean endsInSlash(PathContainer withinApplication) {
		return withinApplication.value().endsWith("/");
	}

	private long depth() {
		return this.path.chars().filter((c) -> c == '/').count();
	}

}

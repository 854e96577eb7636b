package io.lowkiq.dashboard.autoconfigure;

import java.util.List;

import io.lowkiq.dashboard.PayloadVisibility;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the dashboard.
 *
 * @param enabled Whether to serve the page and its JSON API. They show queues and jobs to
 * everyone who can reach the path.
 * @param path Path of the page and its API, below the context path.
 * @param actionsEnabled Whether jobs and queues can be changed. If not, the dashboard is
 * read-only.
 * @param payloads How much of the payloads to show, and to whom.
 * @param allowedHosts Host names, without ports, by which callers who are not signed in
 * can reach the dashboard; '*' for all; by default localhost and IP addresses.
 * @param port Port on which the dashboard is served. 'management' needs Actuator and a
 * management.server.port of its own.
 */
@ConfigurationProperties("lowkiq.dashboard")
public record LowkiqDashboardProperties(@DefaultValue("true") boolean enabled, @DefaultValue("/lowkiq") String path,
		@DefaultValue("false") boolean actionsEnabled, @DefaultValue("signed-in") PayloadVisibility payloads,
		List<String> allowedHosts, @DefaultValue("application") Port port) {

	public LowkiqDashboardProperties {
		// What is not set is null
		allowedHosts = (allowedHosts != null) ? allowedHosts : List.of();
	}

	/** The port on which the dashboard is served. */
	public enum Port {

		/** The port of the application. */
		APPLICATION,

		/** The port of the management endpoints. */
		MANAGEMENT

	}

}

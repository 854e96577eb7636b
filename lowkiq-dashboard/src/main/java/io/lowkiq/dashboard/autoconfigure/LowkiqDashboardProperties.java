package io.lowkiq.dashboard.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.dashboard.PayloadVisibility;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the dashboard.
 */
@ConfigurationProperties("lowkiq.dashboard")
public class LowkiqDashboardProperties {

	/**
	 * Whether to serve the page and its JSON API. They show queues and jobs to everyone
	 * who can reach the path.
	 */
	private boolean enabled = true;

	/**
	 * Path of the page and its API, below the context path.
	 */
	private String path = "/lowkiq";

	/**
	 * Whether jobs and queues can be changed. If not, the dashboard is read-only.
	 */
	private boolean actionsEnabled = false;

	/**
	 * How much of the payloads to show, and to whom.
	 */
	private PayloadVisibility payloads = PayloadVisibility.SIGNED_IN;

	/**
	 * Host names, without ports, by which callers who are not signed in can reach the
	 * dashboard; '*' for all; by default localhost and IP addresses.
	 */
	private List<String> allowedHosts = new ArrayList<>();

	/**
	 * Port on which the dashboard is served. 'management' needs Actuator and a
	 * management.server.port of its own.
	 */
	private Port port = Port.APPLICATION;

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public String getPath() {
		return this.path;
	}

	public void setPath(String path) {
		this.path = path;
	}

	public boolean isActionsEnabled() {
		return this.actionsEnabled;
	}

	public void setActionsEnabled(boolean actionsEnabled) {
		this.actionsEnabled = actionsEnabled;
	}

	public PayloadVisibility getPayloads() {
		return this.payloads;
	}

	public void setPayloads(PayloadVisibility payloads) {
		this.payloads = payloads;
	}

	public List<String> getAllowedHosts() {
		return this.allowedHosts;
	}

	public void setAllowedHosts(List<String> allowedHosts) {
		this.allowedHosts = allowedHosts;
	}

	public Port getPort() {
		return this.port;
	}

	public void setPort(Port port) {
		this.port = port;
	}

	/**
	 * The port on which the dashboard is served.
	 */
	public enum Port {

		/** The port of the application. */
		APPLICATION,

		/** The port of the management endpoints. */
		MANAGEMENT

	}

}

package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.api.DashboardApi;

import org.springframework.context.SmartLifecycle;

/**
 * Writes the history while the application runs.
 */
final class DashboardLifecycle implements SmartLifecycle {

	private final DashboardApi api;

	DashboardLifecycle(DashboardApi api) {
		this.api = api;
	}

	@Override
	public void start() {
		this.api.start();
	}

	@Override
	public void stop() {
		this.api.stop();
	}

	@Override
	public boolean isRunning() {
		return this.api.isRunning();
	}

}

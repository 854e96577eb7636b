package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.dashboard.Dashboard;

import org.springframework.context.SmartLifecycle;

/**
 * Writes the history while the application runs.
 */
final class DashboardLifecycle implements SmartLifecycle {

	private final Dashboard dashboard;

	DashboardLifecycle(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	public void start() {
		this.dashboard.start();
	}

	@Override
	public void stop() {
		this.dashboard.stop();
	}

	@Override
	public boolean isRunning() {
		return this.dashboard.isRunning();
	}

}

package io.lowkiq.dashboard.autoconfigure;

import io.lowkiq.internal.BackgroundLoop;

import org.springframework.context.SmartLifecycle;

/** Writes the history while the application runs. */
final class DashboardLifecycle implements SmartLifecycle, BackgroundLoop.Owner {

	private final BackgroundLoop history;

	DashboardLifecycle(BackgroundLoop history) {
		this.history = history;
	}

	@Override
	public void start() {
		this.history.start();
	}

	@Override
	public void stop() {
		this.history.close();
	}

	@Override
	public boolean isRunning() {
		return this.history.isRunning();
	}

	@Override
	public BackgroundLoop loop() {
		return this.history;
	}

}

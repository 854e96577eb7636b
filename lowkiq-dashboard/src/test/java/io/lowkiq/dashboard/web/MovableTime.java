package io.lowkiq.dashboard.web;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.api.DashboardApi;
import io.lowkiq.redis.RedisStore;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The time of a dashboard and of its store, moved by a test instead of waiting until a
 * reading is old. Thread-safe.
 */
final class MovableTime implements InstantSource {

	/** How far ahead of the system's clock. Written by tests, read by all. */
	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

	@Override
	public Instant instant() {
		return Instant.now().plus(this.ahead.get());
	}

	void advance(Duration duration) {
		this.ahead.updateAndGet(duration::plus);
	}

	/** Replaces the auto-configured API of the dashboard. */
	@Configuration(proxyBeanMethods = false)
	static class MovableDashboard {

		@Bean
		MovableTime time() {
			return new MovableTime();
		}

		@Bean
		DashboardApi dashboardApi(RedisStore store, LowkiqAdmin admin, MovableTime time) {
			return new DashboardApi(store, admin, time,
					new DashboardApi.Settings(PayloadVisibility.SHOWN, PayloadMasker.values(), true));
		}

	}

}

package io.lowkiq.dashboard.web;

import java.util.concurrent.Semaphore;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.testing.Intercepted;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * Lets a test hold the steps of a long action: while the gate is closed, only as many
 * pass as were let through. Open at first.
 */
@Configuration(proxyBeanMethods = false)
class GatedActions {

	private static final int ALL = 1_000_000;

	private final Semaphore steps = new Semaphore(ALL);

	/** Closes the gate behind a number of steps. */
	void close(int steps) {
		this.steps.drainPermits();
		this.steps.release(steps);
	}

	void open() {
		this.steps.release(ALL);
	}

	/** The store for everybody, around the one on Redis. */
	@Bean(destroyMethod = "")
	@Primary
	RedisStore gatedStore(@Qualifier("store") RedisStore store) {
		ShardActions gated = Intercepted.of(ShardActions.class, store.actions(), (method, call) -> {
			this.steps.acquire();
			return call.make();
		});
		return Intercepted.of(RedisStore.class, store,
				(method, call) -> method.equals("actions") ? gated : call.make());
	}

}

package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.NodeInfo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class ForeignQueueWatchTests {

	private static final String LINE = "Queue 'orders' is served by several applications";

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker("orders", Worker.class,
			Integer.class, RegisteredWorker.Settings.DEFAULTS, () -> (Worker<Integer>) (id, payloads) -> {
			})));

	private ForeignQueueWatch watch(boolean refuses) {
		return new ForeignQueueWatch(this.store, "shop", this.workers, refuses);
	}

	private static NodeInfo node(String application, String type, Duration lease) {
		return new NodeInfo("node-of-" + application, 0, lease, Set.of("orders"), false, application,
				Map.of("orders", type));
	}

	private void join(String application, String type) {
		this.store.nodes().join(application, node(application, type, Duration.ofMinutes(1)));
	}

	@Test
	void saysOncePerChangeThatAnotherApplicationServesAQueue(CapturedOutput output) {
		ForeignQueueWatch watch = watch(false);
		join("shop", "java.lang.Integer");
		watch.loop().runOnce();
		assertThat(output).doesNotContain(LINE);
		join("billing", "com.acme.Invoice");
		watch.loop().runOnce();
		watch.loop().runOnce();
		assertThat(output)
			.containsOnlyOnce(LINE + " with different payloads: billing (com.acme.Invoice), shop (java.lang.Integer)");
		join("audit", "com.acme.Record");
		watch.loop().runOnce();
		watch.loop().runOnce();
		assertThat(output).containsOnlyOnce("audit (com.acme.Record)");
		this.store.nodes().leave("audit");
		this.store.nodes().leave("billing");
		watch.loop().runOnce();
		join("billing-2", "com.acme.Invoice");
		watch.loop().runOnce();
		assertThat(output).containsOnlyOnce(LINE + " with different payloads: billing-2");
	}

	@Test
	void refusesTheStartBesideARunningNodeOfAnotherApplication() throws Exception {
		join("billing", "com.acme.Invoice");
		AtomicBoolean ended = new AtomicBoolean();
		Thread beats = new Thread(() -> {
			while (!ended.get()) {
				this.store.nodes().beat("billing", node("billing", "com.acme.Invoice", Duration.ofMinutes(1)));
			}
		});
		beats.start();
		try {
			assertThatExceptionOfType(LowkiqConfigurationException.class).isThrownBy(watch(true)::refuse)
				.withMessageContaining("Queue 'orders' is served by another application")
				.withMessageContaining("node-of-billing");
			assertThatCode(watch(false)::refuse).doesNotThrowAnyException();
		}
		finally {
			ended.set(true);
			beats.join();
		}
	}

	@Test
	void startsBesideANodeOfItsOwnAndBesideADeadOneOfAnotherApplication() {
		join("shop", "com.acme.RenamedOrder");
		this.store.nodes().join("billing", node("billing", "com.acme.Invoice", Duration.ofSeconds(1)));
		assertThatCode(watch(true)::refuse).doesNotThrowAnyException();
	}

}

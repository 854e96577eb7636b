package io.lowkiq;

import java.util.List;

import io.lowkiq.RegisteredWorker.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WorkerRegistryTests {

	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	private static final class MailWorker extends OrderWorker {

	}

	@Test
	void findsAWorkerByItsQueueAndByItsClass() {
		RegisteredWorker orders = worker("orders", OrderWorker.class);
		RegisteredWorker mails = worker("mails", MailWorker.class);
		WorkerRegistry registry = new WorkerRegistry(List.of(orders, mails));
		assertThat(registry.all()).containsExactly(orders, mails);
		assertThat(registry.ofQueue("mails")).contains(mails);
		assertThat(registry.ofQueue("others")).isEmpty();
		assertThat(registry.ofClass(OrderWorker.class)).containsExactly(orders);
		assertThat(registry.ofClass(Worker.class)).containsExactly(orders, mails);
		assertThat(registry.ofClass(String.class)).isEmpty();
	}

	@Test
	void findsAllWorkersOfOneClass() {
		RegisteredWorker orders = worker("orders", OrderWorker.class);
		RegisteredWorker archive = worker("archive", OrderWorker.class);
		assertThat(new WorkerRegistry(List.of(orders, archive)).ofClass(OrderWorker.class)).containsExactly(orders,
				archive);
	}

	@Test
	void findsAWorkerByTheClassOfItsProxy() {
		ProxyFactory factory = new ProxyFactory(new OrderWorker());
		factory.setProxyTargetClass(true);
		Class<?> proxyClass = factory.getProxy().getClass();
		assertThat(proxyClass).isNotEqualTo(OrderWorker.class);
		RegisteredWorker orders = worker("orders", OrderWorker.class);
		assertThat(new WorkerRegistry(List.of(orders, worker("mails", MailWorker.class))).ofClass(proxyClass))
			.containsExactly(orders);
	}

	@Test
	void twoWorkersOfOneQueueAreRefused() {
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> new WorkerRegistry(
					List.of(worker("orders", OrderWorker.class), worker("orders", MailWorker.class))))
			.withMessageContaining("OrderWorker")
			.withMessageContaining("MailWorker");
	}

	@ParameterizedTest
	@NullAndEmptySource
	@ValueSource(strings = { "a b", "a:b", "a{b}", "ä", "a\n" })
	void aBadQueueNameIsRefused(String queue) {
		assertThatExceptionOfType(InvalidQueueException.class).isThrownBy(() -> worker(queue, OrderWorker.class))
			.withMessageContaining("not a queue name");
	}

	@Test
	void aQueueNameIsAtMost200CharactersLong() {
		assertThat(worker("a".repeat(200), OrderWorker.class).queue()).hasSize(200);
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(() -> worker("a".repeat(201), OrderWorker.class));
	}

	@ParameterizedTest
	@CsvSource({ "shards, 0, 1, 25, 1000, 1", "shards, 65537, 1, 25, 1000, 1", "batch-size, 5, 0, 25, 1000, 1",
			"batch-size, 5, 10001, 25, 1000, 1", "max-retry-count, 5, 1, -1, 1000, 1", "max-payloads, 5, 1, 25, 0, 1",
			"scheduler-weight, 5, 1, 25, 1000, 0" })
	void aSettingOutOfItsRangeIsNamed(String name, int shards, int batchSize, int maxRetryCount, int maxPayloads,
			int weight) {
		Settings settings = new Settings(shards, batchSize, maxRetryCount, maxPayloads, weight, 0);
		assertThatExceptionOfType(InvalidQueueException.class)
			.isThrownBy(
					() -> new RegisteredWorker("orders", OrderWorker.class, String.class, settings, OrderWorker::new))
			.withMessageContaining(name)
			.withMessageContaining("orders");
	}

	private static RegisteredWorker worker(String queue, Class<?> workerClass) {
		return new RegisteredWorker(queue, workerClass, String.class, Settings.DEFAULTS, OrderWorker::new);
	}

}

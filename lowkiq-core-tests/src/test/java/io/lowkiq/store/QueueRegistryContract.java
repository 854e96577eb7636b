package io.lowkiq.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recorded queues (rule 10).
 */
abstract class QueueRegistryContract extends StoreContract {

	@Test
	void firstRegistrationIsRecorded() {
		QueueLayout layout = this.store.queues().register("orders", 24);
		assertThat(layout).isEqualTo(new QueueLayout("orders", 1, 24));
		assertThat(this.store.queues().find("orders")).contains(layout);
	}

	@Test
	void firstRegistrationWins() {
		this.store.queues().register("orders", 24);
		assertThat(this.store.queues().register("orders", 5)).isEqualTo(new QueueLayout("orders", 1, 24));
		assertThat(this.store.queues().find("orders")).contains(new QueueLayout("orders", 1, 24));
	}

	@Test
	void unknownQueueIsNotFound() {
		assertThat(this.store.queues().find("orders")).isEmpty();
		assertThat(this.store.queues().all()).isEmpty();
	}

	@Test
	void allQueuesAreListedByName() {
		this.store.queues().register("b", 2);
		this.store.queues().register("c", 3);
		this.store.queues().register("a", 1);
		assertThat(this.store.queues().all()).containsExactly(new QueueLayout("a", 1, 1), new QueueLayout("b", 1, 2),
				new QueueLayout("c", 1, 3));
	}

}

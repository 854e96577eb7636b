package io.lowkiq.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

	@Test
	void shardsThatACanceledRemovalLeftClosedAreOpenedByTheNextRegistration() {
		this.store.queues().register(SHARD.queue(), 1);
		// What is left of a removal that was killed between the two steps of giving it up
		this.store.actions().close(SHARD, null, false);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
		this.store.queues().register(SHARD.queue(), 1);
		enqueue("a", "p");
		assertThat(ids(owner("s").fetch(1))).containsExactly("a");
	}

	@Test
	void shardsStayClosedWhileTheirQueueIsBeingRemoved() {
		QueueLayout queue = this.store.queues().register(SHARD.queue(), 1);
		assertThat(this.store.queues().beginRemoval(queue)).isTrue();
		this.store.actions().close(SHARD, null, false);
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.store.queues().register(SHARD.queue(), 1));
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
		assertThat(this.store.queues().cancelRemoval(queue)).isTrue();
		enqueue("a", "p");
		assertThat(counts().queued()).isEqualTo(1);
	}

}

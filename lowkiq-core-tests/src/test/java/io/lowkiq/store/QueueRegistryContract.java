package io.lowkiq.store;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.QueueDeclaration;
import io.lowkiq.RateLimit;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** The recorded queues (rule 10). */
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
	void oneShardPerGroupIsRecorded() {
		for (String separator : List.of(":", "::remov", "€", "a\nb")) {
			String name = "sync" + (int) separator.charAt(0) + separator.length();
			QueueLayout layout = this.store.queues().register(new QueueDeclaration(name, 12, separator));
			assertThat(layout).isEqualTo(new QueueLayout(name, 1, 12, separator));
			assertThat(this.store.queues().find(name)).contains(layout);
			assertThat(this.store.queues().register(name, 12)).isEqualTo(layout);
			assertThat(this.store.queues().all()).contains(layout);
			assertThat(this.store.queues().beginRemoval(new QueueLayout(name, 1, 12))).isFalse();
			assertThat(this.store.queues().beginRemoval(layout)).isTrue();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.queues().register(name, 12))
				.withMessageContaining("being removed");
			assertThat(this.store.queues().find(name)).contains(layout);
			assertThat(this.store.queues().endRemoval(layout)).isTrue();
			assertThat(this.store.queues().register(name, 3)).isEqualTo(new QueueLayout(name, 2, 3));
		}
	}

	@Test
	void groupDecidesTheShardOfIdsThatHaveTheSeparator() {
		QueueLayout byId = new QueueLayout("sync", 1, 48);
		QueueLayout byGroup = new QueueLayout("sync", 1, 48, "::");
		assertThat(IntStream.range(0, 100).map((i) -> byGroup.shardIndexOf("acme::" + i)))
			.containsOnly(byId.shardIndexOf("acme"));
		assertThat(byGroup.shardIndexOf("acme::b::c")).isEqualTo(byId.shardIndexOf("acme"));
		assertThat(byGroup.shardIndexOf("acme:42")).isEqualTo(byId.shardIndexOf("acme:42"));
		assertThat(byGroup.shardIndexOf("::42")).isZero();
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

	/** What a closed shard refuses. */
	enum Need {

		ENQUEUE, BATCH, FOLLOW_UP, LEASE, MORGUE;

		void call(TestedStore store, Shard shard) {
			NewPayload payload = NewPayload.of("a", bytes("p"));
			switch (this) {
				case ENQUEUE -> store.shards().enqueue(shard, List.of(payload));
				case BATCH -> store.shards()
					.enqueueAll(List.of(new ShardPayloads(shard, List.of(payload))))
					.problems()
					.values()
					.forEach((problem) -> {
						throw problem;
					});
				case FOLLOW_UP -> join(store.shards()
					.enqueueFollowUps(shard, List.of(payload.from(new Origin(new Shard("other", 1, 0), 1, 1))),
							Remembered.NOTHING));
				case LEASE -> join(store.shards().acquire(shard, LeaseRequest.forFreeShard("s")));
				case MORGUE -> store.actions().bury(shard, "a", bytes("p"), 1, "no order");
			}
		}

		private static void join(CompletableFuture<?> answer) {
			try {
				answer.join();
			}
			catch (CompletionException ex) {
				throw (StoreException) ex.getCause();
			}
		}

	}

	/**
	 * What is left of a removal that was killed between the two steps of giving it up.
	 */
	private QueueLayout leftClosed(int shards) {
		QueueLayout queue = this.store.queues().register(SHARD.queue(), shards);
		queue.allShards().forEach((shard) -> this.store.actions().close(shard, null, false));
		return queue;
	}

	@ParameterizedTest
	@EnumSource
	void aShardThatACanceledRemovalLeftClosedIsOpenedForWhoeverNeedsIt(Need need) {
		leftClosed(2);
		need.call(this.store, SHARD);
		assertThat(counts()).matches((counts) -> counts.queued() + counts.dead() == 1 || counts.session() != null);
	}

	@ParameterizedTest
	@EnumSource
	void aShardOfAQueueThatIsBeingRemovedIsOpenedForNobody(Need need) {
		assertThat(this.store.queues().beginRemoval(leftClosed(2))).isTrue();
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> need.call(this.store, SHARD));
		assertThat(counts()).matches((counts) -> counts.queued() + counts.dead() == 0 && counts.session() == null);
	}

	@ParameterizedTest
	@EnumSource
	void aShardOfAnEarlierGenerationIsOpenedForNobody(Need need) {
		QueueLayout removed = leftClosed(2);
		this.store.queues().beginRemoval(removed);
		this.store.queues().endRemoval(removed);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> need.call(this.store, SHARD));
		assertThat(this.store.queues().register(SHARD.queue(), 2).generation()).isEqualTo(2);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> need.call(this.store, SHARD));
	}

	@Test
	void closedShardsOfABatchAreOpenedAndItsOrderIsKept() {
		QueueLayout queue = leftClosed(3);
		this.store.shards().enqueue(queue.shard(1), List.of(NewPayload.of("open", bytes("0"))));
		List<ShardPayloads> batch = IntStream.range(0, 9)
			.mapToObj((i) -> new ShardPayloads(queue.shard(i % 3), List.of(NewPayload.of("a", bytes("p" + i)))))
			.toList();
		BatchResult result = this.store.shards().enqueueAll(batch);
		assertThat(result.problems()).isEmpty();
		assertThat(result.merged()).isEqualTo(6);
		assertThat(texts(queued("a").payloads())).containsExactly("p0", "p3", "p6");
	}

	@Test
	void aBatchOverAClosedAndAnUnknownShardHasOnlyTheProblemOfThatOne() {
		Shard unknown = new Shard(SHARD.queue(), 1, 7);
		leftClosed(2);
		this.store.actions().close(unknown, null, false);
		BatchResult result = this.store.shards()
			.enqueueAll(Stream.of(unknown, SHARD, unknown)
				.map((shard) -> new ShardPayloads(shard, List.of(NewPayload.of("a", bytes("p")))))
				.toList());
		assertThat(result.problems()).containsOnlyKeys(0, 2);
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void registrationOpensNoShard() {
		QueueLayout queue = leftClosed(1);
		assertThat(this.store.queues().register(SHARD.queue(), 1)).isEqualTo(queue);
		// An open shard can't be emptied
		assertThat(this.store.actions().empty(SHARD, 10).changed()).isZero();
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

	private GroupOverrides overrides(QueueLayout layout) {
		return this.store.queues().overrides(layout);
	}

	private Set<QueueLayout> changed(QueueLayout queue, GroupOverrides known, QueueLayout other,
			GroupOverrides knownOfOther) {
		Map<QueueLayout, GroupOverrides> all = new LinkedHashMap<>();
		all.put(queue, known);
		all.put(other, knownOfOther);
		return this.store.queues().changedOverrides(all);
	}

	private int override(QueueLayout queue, String group, GroupOverride override, Part... parts) {
		return this.store.queues().override(queue, Map.of(group, override), Set.of(parts));
	}

	private static <T> Change<T> set(T value, String by) {
		return new Change<>(value, by, 0);
	}

	@Test
	void whatIsSetForGroupsIsKeptUntilItIsReset() {
		QueueRegistry queues = this.store.queues();
		QueueLayout sync = queues.register("sync", 3);
		QueueLayout other = queues.register("other", 3);
		assertThat(overrides(sync)).isEqualTo(GroupOverrides.NONE);
		RateLimit rate = new RateLimit(2_000, Duration.ofDays(1), 50);
		GroupOverride paused = new GroupOverride(set(true, "anna"), null, null, null);
		assertThat(override(sync, "a:b c", new GroupOverride(set(true, "anna"), set(3, "anna"), null, null), Part.PAUSE,
				Part.CONCURRENCY))
			.isEqualTo(1);
		GroupOverrides first = overrides(sync);
		override(sync, "a:b c", new GroupOverride(null, null, set(rate, "ben of\nA 1 x"), set(9, "")), Part.RATE,
				Part.WEIGHT);
		override(sync, "b", paused, Part.PAUSE);
		override(other, "a", paused, Part.PAUSE);
		assertThat(changed(sync, first, other, GroupOverrides.NONE)).containsExactly(sync, other);
		GroupOverrides second = overrides(sync);
		assertThat(second.revision()).isNotEqualTo(first.revision());
		assertThat(changed(sync, second, other, overrides(other))).isEmpty();
		assertThat(second.groups()).containsOnlyKeys("a:b c", "b");
		GroupOverride group = Objects.requireNonNull(second.groups().get("a:b c"));
		assertThat(group.pause()).isNotNull().satisfies((pause) -> {
			assertThat(pause.by()).isEqualTo("anna");
			assertThat(pause.at()).isCloseTo(this.store.nodes().now(), within(60_000L));
		});
		assertThat(group.concurrency()).extracting(Change::value).isEqualTo(3);
		assertThat(group.rate()).extracting(Change::value, Change::by).containsExactly(rate, "ben of\nA 1 x");
		assertThat(group.weight()).extracting(Change::value, Change::by).containsExactly(9, "");
		assertThat(override(sync, "b", new GroupOverride(set(true, "ben"), null, null, null), Part.PAUSE))
			.as("paused already")
			.isZero();
		assertThat(overrides(sync)).isEqualTo(second);
		assertThat(override(sync, "a:b c", GroupOverride.NONE, Part.PAUSE, Part.RATE)).isEqualTo(1);
		group = Objects.requireNonNull(overrides(sync).groups().get("a:b c"));
		assertThat(group).extracting(GroupOverride::pause, GroupOverride::rate).containsOnlyNulls();
		override(sync, "a:b c", GroupOverride.NONE, Part.values());
		assertThat(overrides(sync).groups()).containsOnlyKeys("b");
		override(sync, "b", GroupOverride.NONE, Part.values());
		assertThat(overrides(sync).groups()).isEmpty();
		assertThat(overrides(sync).revision()).as("the last reset is no loss").startsWith("6:");
		assertThat(override(sync, "b", GroupOverride.NONE, Part.values())).isZero();
		assertThat(changed(sync, second, other, overrides(other))).containsExactly(sync);
		assertThat(changed(sync, overrides(sync), other, overrides(other))).isEmpty();
		assertThat(queues.changedOverrides(Map.of())).isEmpty();
		assertThat(overrides(other).groups()).containsOnlyKeys("a");
	}

	@Test
	void nothingIsSetForGroupsOfAQueueThatWasRemoved() {
		QueueRegistry queues = this.store.queues();
		QueueLayout sync = queues.register("sync", 3);
		override(sync, "a", new GroupOverride(set(true, "anna"), null, null, null), Part.PAUSE);
		queues.beginRemoval(sync);
		queues.cancelRemoval(sync);
		assertThat(overrides(sync).groups()).hasSize(1);
		queues.beginRemoval(sync);
		queues.endRemoval(sync);
		assertThat(overrides(sync)).isEqualTo(GroupOverrides.NONE);
		assertThat(queues.forgottenOverrides(sync)).isEmpty();
		GroupOverride late = new GroupOverride(null, set(3, "anna"), null, null);
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> override(sync, "a", late, Part.CONCURRENCY))
			.withMessageContaining("'sync'")
			.withMessageContaining("has been removed");
		assertThat(overrides(queues.register("sync", 3))).isEqualTo(GroupOverrides.NONE);
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> override(sync, "a", late, Part.CONCURRENCY));
		assertThat(overrides(sync)).isEqualTo(GroupOverrides.NONE);
	}

}

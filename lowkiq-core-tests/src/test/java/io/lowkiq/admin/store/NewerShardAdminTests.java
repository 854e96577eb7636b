package io.lowkiq.admin.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.NewerVersionException;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.QueueNotRemovableException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/** Actions on a queue, one shard of which a newer version has written. */
class NewerShardAdminTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final QueueLayout orders = this.store.queues().register("orders", 3);

	private final List<AdminEvent> events = new ArrayList<>();

	private final LowkiqAdmin admin = TestAdmin.of(this.store, this.events::add);

	@BeforeEach
	void writeAsANewerVersion() {
		Shard newer = this.orders.shard(1);
		this.store.actions().pause(newer, false);
		write(newer, 4);
	}

	private void write(Shard shard, int flags) {
		byte[] key = bytes("lowkiq:{" + shard + "}:meta");
		byte[] meta = (byte[]) Objects.requireNonNull(this.redis.call(bytes("GET"), key).join());
		meta[1] = (byte) flags;
		this.redis.call(bytes("SET"), key, meta).join();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private List<ShardCounts> counts() {
		return this.store.inspection().counts(this.orders.allShards());
	}

	@Test
	void theOtherShardsArePausedAndTheRefusalIsThrown() {
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.pause("orders"));
		assertThat(counts()).extracting(ShardCounts::paused).containsExactly(true, false, true);
	}

	@Test
	void theJobsOfTheOtherShardsAreRepaired() {
		for (Shard shard : this.orders.allShards()) {
			if (shard.index() != 1) {
				String id = idsOf(shard).findFirst().orElseThrow();
				this.store.shards()
					.enqueue(shard, List.of(NewPayload.of(id, bytes("1")).withDelay(Duration.ofMinutes(1))));
				this.redis.call(bytes("DEL"), bytes("lowkiq:{" + shard + "}:delayed")).join();
			}
		}
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.repair("orders"));
		assertThat(counts()).extracting(ShardCounts::delayed).containsExactly(1L, 0L, 1L);
	}

	@Test
	void theSelectedJobsOfTheOtherShardsAreDeleted() {
		Shard newer = this.orders.shard(1);
		write(newer, 0);
		for (Shard shard : this.orders.allShards()) {
			String id = idsOf(shard).findFirst().orElseThrow();
			this.store.shards().enqueue(shard, List.of(NewPayload.of(id, bytes("1"))));
		}
		write(newer, 4);
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.act("orders",
				AdminAction.DELETE, JobSelection.of(JobQuery.JobList.QUEUED), ActionProgress.NONE));
		assertThat(counts()).extracting(ShardCounts::queued).containsExactly(0L, 1L, 0L);
	}

	@Test
	void whatWaitsInTheOtherShardsIsRedirectedDroppedAndErased() {
		write(this.orders.shard(1), 0);
		this.orders.allShards().forEach(this::followUps);
		write(this.orders.shard(1), 4);
		this.store.queues().register("mails", 1);
		assertThatExceptionOfType(NewerVersionException.class)
			.isThrownBy(() -> this.admin.redirectFollowUps("first", "mails"));
		assertThat(this.admin.find("mails", "x").jobs().get(0).payloadCount()).isEqualTo(2);
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.dropFollowUps("second"));
		this.store.shards()
			.enqueue(this.store.queues().register("third", 1).shard(0), List.of(NewPayload.of("x", bytes("1"))));
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.erase("third", "x"));
		assertThat(this.admin.find("third", "x").jobs()).isEmpty();
		assertThat(counts()).extracting(ShardCounts::followUps).containsExactly(0L, 3L, 0L);
	}

	@Test
	void theTraceCountsWhatWasDoneInTheOtherShards() {
		write(this.orders.shard(1), 0);
		this.orders.allShards().forEach(this::followUps);
		write(this.orders.shard(1), 4);
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.erase("third", "x"));
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.admin.dropFollowUps("second"));
		assertThat(this.events).extracting(AdminEvent::action, AdminEvent::changed)
			.containsExactly(tuple("erase", 1L), tuple("drop-follow-ups", 2L));
	}

	@Test
	void whatIsRedirectedBeforeATargetRefusesIsCountedAndNotRemembered() {
		QueueLayout mails = this.store.queues().register("mails", 2);
		List<String> ids = mails.allShards()
			.stream()
			.map((shard) -> idsOf(mails, shard).findFirst().orElseThrow())
			.toList();
		followUps(this.orders.shard(0), ids.stream().map((id) -> followUp("first", id)).toList());
		this.store.actions().pause(mails.shard(1), false);
		write(mails.shard(1), 4);
		assertThatExceptionOfType(NewerVersionException.class)
			.isThrownBy(() -> this.admin.redirectFollowUps("first", "mails"));
		assertThat(this.admin.find("mails", ids.get(0)).jobs()).hasSize(1);
		assertThat(this.events).extracting(AdminEvent::changed).containsExactly(1L);
		assertThat(this.redis
			.call(bytes("ZSCORE"), bytes("lowkiq:{" + mails.shard(0) + "}:follow-ups"), bytes("forgotten"))
			.join()).isNotNull();
		write(mails.shard(1), 0);
		assertThat(this.admin.redirectFollowUps("first", "mails")).isEqualTo(1);
	}

	private static FollowUp followUp(String queue, String id) {
		return new FollowUp(queue, NewPayload.of(id, bytes("1")));
	}

	/** Lets a follow-up for each of three queues wait. */
	private void followUps(Shard shard) {
		followUps(shard,
				Stream.of("first", "second", "third")
					.map((queue) -> new FollowUp(queue, NewPayload.of("x", bytes(shard.toString()))))
					.toList());
	}

	private void followUps(Shard shard, List<FollowUp> followUps) {
		String id = idsOf(shard).findFirst().orElseThrow();
		this.store.shards().enqueue(shard, List.of(NewPayload.of(id, bytes("1"))));
		Lease lease = ((Acquisition.Acquired) this.store.shards()
			.acquire(shard, LeaseRequest.forFreeShard("me"))
			.join()).lease();
		this.store.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(1, 9, false)).join();
		List<Outcome> outcomes = new ArrayList<>();
		followUps.forEach((each) -> outcomes.add(new Outcome.FollowUp(id, outcomes.size() + 1L, each)));
		outcomes.add(new Outcome.Done(id));
		this.store.shards().completeAndFetch(lease, 2, 1, outcomes, Fetch.NONE).join();
	}

	private Stream<String> idsOf(Shard shard) {
		return idsOf(this.orders, shard);
	}

	private static Stream<String> idsOf(QueueLayout queue, Shard shard) {
		return IntStream.range(0, 100).mapToObj(String::valueOf).filter((id) -> queue.shardOf(id).equals(shard));
	}

	@Test
	void aQueueIsNotRemovedAndGoesOn() {
		assertThatExceptionOfType(QueueNotRemovableException.class).isThrownBy(() -> this.admin.removeQueue("orders"))
			.withMessageContaining("a newer one has written shards of it");
		assertThat(this.store.queues().register("orders", 3)).isEqualTo(this.orders);
	}

}

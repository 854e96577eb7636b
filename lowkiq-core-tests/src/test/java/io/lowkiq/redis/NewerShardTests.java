package io.lowkiq.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.redis.ShardActions.Repair;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Gathering;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a newer version may write into a shard, and what this one does about it: all
 * scripts refuse what they can't understand, and keep what they need not understand.
 */
class NewerShardTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	/** The scripts that change nothing. */
	private static final Set<String> READING = Set.of("counts", "find", "list", "list-follow-ups", "list-groups");

	private static final int META_BYTES = 58;

	private static final Gathering LATEST = new Gathering(
			new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, true, false, false), 9);

	private static final String BASE = "lowkiq:{" + SHARD + "}:";

	private static final byte[] QUEUES = bytes("lowkiq:{queues}");

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private Lease lease = new Lease(SHARD, "nobody", 0);

	/**
	 * A shard with something of everything, and all of it also as a newer version may
	 * write it.
	 */
	private void fill() {
		actions().pause(SHARD, false);
		enqueue("busy", "queued", "held", "failed");
		own(Gathering.NONE);
		FollowUp followUp = new FollowUp("mails", newPayload("m", "1"));
		assertThat(fetch(1, 0, 4)).containsExactly("busy", "queued", "held", "failed");
		fetch(2, 4, 0, new Outcome.FollowUp("queued", 1, followUp), new Outcome.Done("queued"),
				new Outcome.Retry("failed", 60_000, "oops"), new Outcome.Returned("held"));
		actions().hold(SHARD, List.of("held"));
		actions().bury(SHARD, "dead", bytes("1"), 1, "no job");
		enqueue("queued", "busy");
		put("jobs", "newer", newer());
		put("busy", "newer-busy", newer());
		put("morgue", "newer-dead", newer());
		followUp(7, newer());
	}

	private static byte[] newer() {
		byte[] entry = new byte[80];
		Arrays.fill(entry, (byte) 9);
		return entry;
	}

	/**
	 * Meta data as a newer version may write it, so that this one must not change
	 * anything.
	 */
	private static List<byte[]> newerOf(byte[] meta) {
		List<byte[]> all = new ArrayList<>();
		IntStream.rangeClosed(7, 31).forEach((form) -> {
			all.add(with(meta, form, 0));
			all.add(Arrays.copyOf(with(meta, form, 0xff), META_BYTES));
		});
		for (int form : new int[] { 5, 6 }) {
			IntStream.of(4, 8, 16, 1 + 8, 2 + 16, 4 + 128, 255).forEach((flags) -> all.add(with(meta, form, flags)));
		}
		byte[] noNumbers = with(meta, 5, 4);
		Arrays.fill(noNumbers, 2, META_BYTES, (byte) 0xff);
		all.add(noNumbers);
		return all;
	}

	private static byte[] with(byte[] meta, int form, int flags) {
		byte[] changed = meta.clone();
		changed[0] = (byte) form;
		changed[1] = (byte) flags;
		return changed;
	}

	@Test
	void everyScriptThatMayChangeAShardRefusesANewerOne() throws IOException {
		fill();
		Map<String, LuaScript> scripts = scripts();
		assertThat(scripts).containsKeys("enqueue", "delete-dead", "drop-follow-ups")
			.containsKeys(READING.toArray(String[]::new));
		for (byte[] newer : newerOf(meta())) {
			meta(newer);
			Map<String, Object> before = contents();
			scripts.forEach((name, script) -> {
				if (!READING.contains(name)) {
					assertThat(catchThrowable(() -> eval(script)))
						.as("%s of form %d, flags %d", name, newer[0], newer[1])
						.hasStackTraceContaining("LOWKIQ NEWER " + SHARD);
				}
			});
			assertThat(contents()).isEqualTo(before);
		}
	}

	/** All scripts of a shard by name. */
	static Map<String, LuaScript> scripts() throws IOException {
		Map<String, LuaScript> scripts = new LinkedHashMap<>();
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/lowkiq/redis/*.lua")) {
			String name = String.valueOf(file.getFilename()).replace(".lua", "");
			LuaScript script = LuaScript.load(name, name);
			if (new String(script.text(), StandardCharsets.UTF_8).contains("#KEYS >= SHARD_KEYS")) {
				scripts.put(name, script);
			}
		}
		return scripts;
	}

	@Test
	void everyCallIsRefusedWithAnExceptionOfItsOwnAndChangesNothing() {
		fill();
		byte[] known = meta();
		for (int flags : new int[] { 4, 8, 16 }) {
			meta(with(known, known[0], flags));
			Map<String, Object> before = contents();
			changes().forEach((name, change) -> assertThatExceptionOfType(NewerVersionException.class).as(name)
				.isThrownBy(change)
				.withMessageContaining("Shard 0 of queue 'orders' was written by a newer version"));
			assertThat(this.store.shards()
				.enqueueAll(List.of(new ShardPayloads(SHARD, List.of(newPayload("a", "1")))))
				.problems()
				.get(0)).isInstanceOf(NewerVersionException.class);
			assertThat(contents()).isEqualTo(before);
		}
		meta(known);
		assertThat(fetch(3, 2, 5)).containsExactly("queued");
	}

	private Map<String, ThrowingCallable> changes() {
		Map<String, ThrowingCallable> all = new LinkedHashMap<>();
		List<NewPayload> payloads = List.of(newPayload("a", "1"));
		Origin origin = new Origin(new Shard("mails", 1, 0), 1, 1);
		List<String> ids = List.of("queued", "held", "failed", "newer");
		all.put("enqueue", () -> this.store.shards().enqueue(SHARD, payloads));
		all.put("follow up", () -> answer(this.store.shards()
			.enqueueFollowUps(SHARD, List.of(newPayload("a", "1").from(origin)), Remembered.NOTHING)));
		all.put("acquire", () -> acquire(LeaseRequest.forFreeShard("other")));
		all.put("take over", () -> acquire(LeaseRequest.afterCrash("other", "me")));
		all.put("renew", () -> acquire(LeaseRequest.toRenew(this.lease, 3)));
		all.put("fetch", () -> fetch(3, 2, 5, new Outcome.Done("busy")));
		all.put("release", () -> answer(this.store.shards().release(this.lease, 3, List.of())));
		all.put("move", () -> answer(
				this.store.shards().moveFollowUps(this.lease, List.of(new EnqueuedFollowUps(SHARD, List.of(1L))), 0)));
		all.put("targets", () -> answer(this.store.shards().followUpTargets(this.lease, List.of(SHARD))));
		all.put("forget", () -> answer(this.store.shards().forgetOrigin(SHARD, origin, true)));
		all.put("perform now", () -> actions().performNow(SHARD, ids));
		all.put("perform all", () -> actions().performAllNow(SHARD, 9));
		all.put("release held", () -> actions().release(SHARD, ids));
		all.put("hold", () -> actions().hold(SHARD, ids));
		all.put("edit held", () -> actions().editHeld(SHARD, "held", bytes("1"), bytes("2")));
		all.put("edit dead", () -> actions().editDead(SHARD, "dead", bytes("1"), bytes("2")));
		all.put("kill", () -> actions().kill(SHARD, ids));
		all.put("delete", () -> actions().delete(SHARD, ids));
		all.put("bury", () -> actions().bury(SHARD, "b", bytes("1"), 1, "no job"));
		all.put("re-enqueue", () -> actions().reEnqueue(SHARD, List.of("dead")));
		all.put("delete dead", () -> actions().deleteDead(SHARD, List.of("dead")));
		all.put("drop", () -> actions().dropFollowUps(SHARD, List.of(new Origin(SHARD, this.lease.epoch(), 1))));
		all.put("erase", () -> actions().erase(SHARD, "queued"));
		all.put("drop enqueued", () -> actions().dropEnqueued(SHARD, List.of(new Origin(SHARD, this.lease.epoch(), 1)),
				SHARD, new Shard("mails", 1, 0)));
		all.put("repair", () -> actions().repair(SHARD, Repair.START, 9));
		all.put("close", () -> actions().close(SHARD, "me", false));
		all.put("empty", () -> actions().empty(SHARD, 9));
		all.put("pause", () -> actions().pause(SHARD, true));
		all.put("resume", () -> actions().pause(SHARD, false));
		return all;
	}

	@Test
	void whatOnlyReadsShowsANewerShardAndSaysSo() {
		fill();
		byte[] known = meta();
		for (byte[] newer : List.of(with(known, 5, 4), with(known, 7, 0))) {
			meta(newer);
			Map<String, Object> before = contents();
			ShardCounts counts = this.store.inspection().counts(SHARD);
			assertThat(counts.newer()).isTrue();
			assertThat(counts.queued()).isEqualTo(5);
			assertThat(counts.dead()).isEqualTo(2);
			assertThat(counts.session()).isEqualTo((newer[0] == 5) ? "me" : null);
			assertThat(this.store.inspection().find(SHARD, JobView.State.QUEUED, "queued", 1)).isPresent();
			assertThat(this.store.shards().isQueued(SHARD, "queued")).isTrue();
			Stream.of(JobQuery.JobList.values())
				.forEach((list) -> this.store.inspection().list(SHARD, JobQuery.first(list, 9)));
			assertThat(this.store.inspection().followUps(SHARD, 0, 9)).hasSize(2);
			assertThat(contents()).isEqualTo(before);
		}
		meta(known);
		assertThat(this.store.inspection().counts(SHARD).newer()).isFalse();
	}

	@Test
	void flagsThatMayBeIgnoredAreKeptThroughEveryChange() {
		for (int flag : new int[] { 64, 128, 64 + 128 }) {
			for (Gathering gathering : List.of(Gathering.NONE, LATEST)) {
				actions().pause(SHARD, false);
				enqueue("a");
				own(gathering);
				meta(with(meta(), meta()[0], flag));
				List<Consumer<Integer>> steps = List.of((flags) -> enqueue("b"),
						(flags) -> assertThat(fetch(1, 0, 1)).hasSize(1),
						(flags) -> fetch(2, 1, 0, new Outcome.Done("a")), (flags) -> actions().pause(SHARD, true),
						(flags) -> own(gathering), (flags) -> actions().pause(SHARD, false),
						(flags) -> answer(this.store.shards().release(this.lease, 1, List.of())));
				steps.forEach((step) -> {
					step.accept(flag);
					assertThat(meta()[1] & ~3).isEqualTo((byte) flag & ~3);
				});
				assertThat(actions().close(SHARD, null, false)).isEqualTo(ShardActions.Closing.CLOSED);
				assertThat(meta()[1]).isEqualTo((byte) (flag + 2));
				assertThat(actions().empty(SHARD, 9).more()).isFalse();
				assertThat(meta()[1]).isEqualTo((byte) (flag + 2));
				QueueLayout layout = this.store.queues().register("orders", 1);
				assertThat(layout.shard(0)).isEqualTo(SHARD);
				enqueue("opens it");
				assertThat(meta()[1]).isEqualTo((byte) flag);
			}
		}
	}

	@Test
	void onlyOneFlagClosesAShard() {
		this.store.queues().register("orders", 1);
		own(Gathering.NONE);
		meta(with(meta(), 5, 255 - 2 - 4 - 8 - 16));
		enqueue("a");
		assertThat(this.store.inspection().counts(SHARD).session()).isEqualTo("me");
	}

	@Test
	void lookingUpAQueueLeavesANewerShardAloneAndOpensTheOthers() {
		QueueLayout layout = this.store.queues().register("orders", 2);
		own(Gathering.NONE);
		meta(with(meta(), 5, 4));
		byte[] newer = meta();
		actions().close(layout.shard(1), null, false);
		assertThat(this.store.queues().register("orders", 2)).isEqualTo(layout);
		assertThat(meta()).isEqualTo(newer);
		this.store.shards().enqueue(layout.shard(1), List.of(newPayload("a", "1")));
	}

	@Test
	void allElseThatCanNotBeReadCountsAsFree() {
		this.store.queues().register("orders", 1);
		own(Gathering.NONE);
		byte[] known = meta();
		for (byte[] destroyed : List.of(Arrays.copyOf(with(known, 7, 0), META_BYTES - 1), with(known, 32, 4),
				with(known, 255, 0), with(known, 4, 4), Arrays.copyOf(with(known, 5, 4), META_BYTES - 1),
				with(known, 6, 0), new byte[0])) {
			meta(destroyed);
			assertThat(this.store.inspection().counts(SHARD).newer()).isFalse();
			enqueue("a");
			assertThat(acquire(LeaseRequest.forFreeShard("other"))).isInstanceOf(Acquisition.Acquired.class);
		}
	}

	@Test
	void theRecordOfAQueueThatANewerVersionHasWrittenIsRefusedAndKept() {
		QueueLayout layout = this.store.queues().register("orders", 2);
		this.store.queues().register("mails", 1);
		String newer = "1:2:layout=ring";
		record("orders", newer);
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> this.store.queues().find("orders"))
			.withMessageContaining(newer)
			.withMessageNotContainingAny("HSET", "HDEL");
		assertThatExceptionOfType(NewerVersionException.class)
			.isThrownBy(() -> this.store.queues().register("orders", 2));
		assertThat(this.store.queues().all()).extracting(QueueLayout::name).containsExactly("mails");
		assertThat(this.store.queues().beginRemoval(layout)).isFalse();
		assertThat(this.store.queues().cancelRemoval(layout)).isFalse();
		assertThat(this.store.queues().endRemoval(layout)).isFalse();
		assertThat(recordOf("orders")).isEqualTo(newer);
		record("orders", "two shards");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.queues().find("orders"))
			.withMessageContaining("HSET")
			.isNotInstanceOf(NewerVersionException.class);
	}

	private ShardActions actions() {
		return this.store.actions();
	}

	private void enqueue(String... ids) {
		this.store.shards().enqueue(SHARD, Stream.of(ids).map((id) -> newPayload(id, "1")).toList());
	}

	private void own(Gathering gathering) {
		this.lease = ((Acquisition.Acquired) acquire(LeaseRequest.forFreeShard("me").with(gathering))).lease();
	}

	private Acquisition acquire(LeaseRequest request) {
		return answer(this.store.shards().acquire(SHARD, request));
	}

	private List<String> fetch(long sequence, int busy, int jobs, Outcome... outcomes) {
		FetchResult.Fetched fetched = (FetchResult.Fetched) answer(this.store.shards()
			.completeAndFetch(this.lease, sequence, busy, List.of(outcomes), new Fetch(jobs, 9, false)));
		return fetched.jobs().stream().map((job) -> job.id()).toList();
	}

	private static <T> T answer(CompletableFuture<T> call) {
		try {
			return call.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StoreException known) ? known : ex;
		}
	}

	/** Evaluates a script with the keys of the shard, and no arguments. */
	private void eval(LuaScript script) {
		this.redis.eval(script.text(), new ShardKeys("lowkiq").of(SHARD)).join();
	}

	/** A value of the shard's meta data. */
	private byte[] meta() {
		return (byte[]) Objects.requireNonNull(call("GET", "meta"));
	}

	private void meta(byte[] value) {
		call("SET", "meta", value);
	}

	/** Writes an entry into a hash of the shard. */
	private void put(String hash, String id, byte[] entry) {
		call("HSET", hash, bytes(id), entry);
	}

	/** Writes a follow-up as it is stored. */
	private void followUp(long number, byte[] stored) {
		call("ZADD", "follow-ups", bytes(String.valueOf(number)), stored);
	}

	/** Writes the record of a queue. */
	private void record(String queue, String record) {
		this.redis.call(bytes("HSET"), QUEUES, bytes(queue), bytes(record)).join();
	}

	/** The record of a queue. */
	private String recordOf(String queue) {
		Object record = this.redis.call(bytes("HGET"), QUEUES, bytes(queue)).join();
		return new String((byte[]) Objects.requireNonNull(record), StandardCharsets.UTF_8);
	}

	private @Nullable Object call(String command, String key, byte[]... arguments) {
		return this.redis
			.call(Stream.concat(Stream.of(bytes(command), bytes(BASE + key)), Stream.of(arguments))
				.toArray(byte[][]::new))
			.join();
	}

	/** Everything that is in the shard, byte for byte. */
	private Map<String, Object> contents() {
		Map<String, Object> all = new TreeMap<>();
		all.put("meta", comparable(meta()));
		Stream.of("jobs", "void", "busy", "morgue").forEach((hash) -> all.put(hash, comparable(call("HGETALL", hash))));
		Stream
			.of("delayed", "suspects", "retries", "morgue-times", "follow-ups", "resting", "p:queued", "p:busy",
					"d:dead", "d:newer")
			.forEach((set) -> all.put(set,
					comparable(call("ZRANGE", set, bytes("0"), bytes("-1"), bytes("WITHSCORES")))));
		all.put("ready", comparable(call("LRANGE", "ready", bytes("0"), bytes("-1"))));
		return all;
	}

	private static Object comparable(@Nullable Object value) {
		if (value instanceof List<?> list) {
			return list.stream().map(NewerShardTests::comparable).toList();
		}
		return (value instanceof byte[] bytes) ? ByteBuffer.wrap(bytes) : String.valueOf(value);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}

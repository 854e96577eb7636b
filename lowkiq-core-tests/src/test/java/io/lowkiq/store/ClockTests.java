package io.lowkiq.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** The contract of the clock, and random jumps of it, where a call looks at few jobs. */
class ClockTests extends ClockContract implements StoreSource {

	private static final String KEYS = "lowkiq:{" + SHARD + "}:";

	private final List<String> log = new ArrayList<>();

	private InMemoryRedis server = new InMemoryRedis(this.clock);

	@Override
	public TestedStore open(InstantSource source) {
		this.server = new InMemoryRedis(source);
		return ChangedScripts.withSmallSteps(this.server);
	}

	@Override
	int dueJobs() {
		return 4 * ChangedScripts.LOOKED_AT + 2;
	}

	@Test
	void nextOwnerFindsWhatWaitsAfterTheMetaDataIsLost() {
		TestOwner owner = owner("s");
		for (int i = 0; i < dueJobs(); i++) {
			enqueueIn(0, "due " + i, "p");
		}
		owner.fetch(0);
		this.clock.goBackMillis(3_600_000);
		enqueueIn(10, "a", "p");
		this.store.queues().register(SHARD.queue(), 1);
		this.server.call(bytes("DEL"), bytes(KEYS + "meta")).join();
		TestOwner next = owner("t");
		this.clock.advanceMillis(10);
		assertThat(ids(next.fetch(10))).contains("a");
	}

	@Test
	void aJobThatIsRepairedMeanwhileKeepsItsDelay() {
		TestOwner owner = owner("s");
		Set<String> due = enqueueDue(dueJobs());
		owner.fetch(0);
		this.clock.goBackMillis(3_600_000);
		enqueueIn(10, "a", "p");
		this.server.call(bytes("ZREM"), bytes(KEYS + "delayed"), bytes("a")).join();
		assertThat(this.store.actions().repair(SHARD, ShardActions.Repair.START, 1_000).delayed()).isEqualTo(1);
		assertThat(fetchAll(owner)).containsExactlyInAnyOrderElementsOf(due);
		this.clock.advanceMillis(10);
		assertThat(fetchAll(owner)).containsExactly("a");
	}

	@Test
	void damageThatIsFoundWhileDueJobsAreMovedStrandsNone() {
		GatheringPolicy quiet = new GatheringPolicy(Duration.ofMillis(100), Duration.ofMillis(500), Duration.ZERO,
				false, false, false);
		TestOwner owner = owner("s", LeaseRequest.forFreeShard("s").with(new Gathering(quiet, 1_000)));
		enqueueIn(0, "damaged", "p1");
		enqueueIn(0, "damaged", "p2");
		for (int i = 0; i < dueJobs(); i++) {
			enqueue("gathers " + i, "p");
		}
		owner.fetch(0);
		this.clock.goBackMillis(3_600_000);
		byte[] payloads = bytes(KEYS + "p:damaged");
		this.server.call(bytes("DEL"), payloads).join();
		this.server.call(bytes("SET"), payloads, bytes("wrong type")).join();
		for (int i = 0; i < dueJobs(); i++) {
			assertThatException().isThrownBy(() -> owner.fetch(100));
		}
		this.server.call(bytes("DEL"), payloads).join();
		this.clock.advanceMillis(100);
		Set<String> fetched = new HashSet<>();
		for (int i = 0; i < dueJobs(); i++) {
			fetched.addAll(ids(owner.applied(List.of(), new Fetch(100, 1_000, true))));
		}
		assertThat(fetched).hasSize(dueJobs());
	}

	/** A job as the model knows it. */
	private static final class Expected {

		private final long performAt;

		/** Whether a call has seen a clock by which it was due. */
		private boolean mayBeFetched;

		/** Whether that was a call of the owner. */
		private boolean due;

		private Expected(long performAt) {
			this.performAt = performAt;
		}

	}

	@Test
	void nothingIsEarlyOrLateOverRandomJumps() {
		for (int round = 0; round < ShrinkingRun.operations(60); round++) {
			long seed = ShrinkingRun.seed() + round;
			this.store = open(this.clock);
			know(SHARD);
			this.log.clear();
			try {
				jump(new SplittableRandom(seed));
			}
			catch (AssertionError ex) {
				throw new AssertionError(
						"Repeat with -Dlowkiq.test.seed=%d:%n%s".formatted(seed, String.join("\n", this.log)), ex);
			}
		}
	}

	private void jump(SplittableRandom random) {
		Map<String, Expected> queued = new HashMap<>();
		Set<String> busy = new HashSet<>();
		TestOwner owner = owner("s");
		for (int i = random.nextInt(40); i >= 0; i--) {
			add(queued, "due " + i, random.nextInt(20));
		}
		this.clock.advanceMillis(10);
		call(owner, queued, busy, List.of(), 0);
		int arrivals = 0;
		for (int step = 0; step < 25; step++) {
			int dice = random.nextInt(10);
			if (dice < 2) {
				this.clock.goBackMillis(random.nextInt(60));
			}
			else if (dice < 4) {
				this.clock.advanceMillis(random.nextInt(10));
			}
			else if (dice < 6 && arrivals < ChangedScripts.LOOKED_AT) {
				arrivals++;
				add(queued, "late " + arrivals, random.nextInt(30));
			}
			else if (dice < 7 && arrivals < ChangedScripts.LOOKED_AT && !busy.isEmpty()) {
				arrivals++;
				String id = busy.iterator().next();
				int delay = random.nextInt(30);
				busy.remove(id);
				call(owner, queued, busy, List.of(new Outcome.Retry(id, delay, "e")), 0);
				expect(queued, id, delay);
			}
			else {
				call(owner, queued, busy, List.of(), random.nextInt(4));
			}
		}
		FetchResult.Fetched last;
		do {
			last = call(owner, queued, busy, List.of(), 100);
		}
		while (last.next() <= now() || last.nextSuspect() <= now());
		assertThat(queued.values()).as("late").noneMatch((job) -> job.due);
		assertThat(queued.keySet()).containsExactlyInAnyOrderElementsOf(listed(JobList.DELAYED));
	}

	private void add(Map<String, Expected> queued, String id, int delay) {
		this.log.add("%d enqueue %s due %d".formatted(now(), id, now() + delay));
		enqueueIn(delay, id, "p");
		expect(queued, id, delay);
	}

	private void expect(Map<String, Expected> queued, String id, int delay) {
		queued.put(id, new Expected(now() + delay));
		queued.values().stream().filter((job) -> job.performAt <= now()).forEach((job) -> job.mayBeFetched = true);
	}

	private FetchResult.Fetched call(TestOwner owner, Map<String, Expected> queued, Set<String> busy,
			List<Outcome> outcomes, int jobs) {
		queued.values().stream().filter((job) -> job.performAt <= now()).forEach((job) -> {
			job.mayBeFetched = true;
			job.due = true;
		});
		FetchResult.Fetched fetched = owner.applied(outcomes, new Fetch(jobs, 1_000, true));
		this.log.add("%d complete %s and fetch %d: %s".formatted(now(), outcomes, jobs, ids(fetched)));
		for (String id : ids(fetched)) {
			Expected job = queued.remove(id);
			assertThat(job).as(id).isNotNull();
			assertThat(job.mayBeFetched).as("due: " + id).isTrue();
			busy.add(id);
		}
		return fetched;
	}

}

package io.lowkiq.store;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.redis.ShardActions.Repair;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is done about queued jobs that are not in the index of their place. */
class RepairTests extends StoreContract implements StoreSource {

	private static final int PLACE_AT = 17;

	private InMemoryRedis server = new InMemoryRedis(this.clock);

	@Override
	public TestedStore open(InstantSource source) {
		this.server = new InMemoryRedis(source);
		return TestedStore.of(this.server.store(), this.server);
	}

	private byte[] call(String command, String key, byte[]... arguments) {
		List<byte[]> all = new ArrayList<>(List.of(bytes(command), bytes("lowkiq:{" + SHARD + "}:" + key)));
		all.addAll(List.of(arguments));
		return (this.server.call(all.toArray(byte[][]::new)).join() instanceof byte[] reply) ? reply : new byte[0];
	}

	private Repair repairAll() {
		Repair all = new Repair(Repair.START, 0, 0, 0, 0, 0, 0);
		do {
			Repair step = this.store.actions().repair(SHARD, all.next(), 2);
			all = new Repair(step.next(), all.looked() + step.looked(), all.delayed() + step.delayed(),
					all.suspects() + step.suspects(), all.blocked() + step.blocked(), all.ready() + step.ready(),
					all.unknown() + step.unknown());
		}
		while (all.more());
		return all;
	}

	/** A job behind an id that is not busy. */
	private TestOwner strand(String id) {
		TestOwner owner = owner("s");
		enqueue(id, "p1");
		owner.fetch(1);
		enqueue(id, "p2");
		call("HDEL", "busy", bytes(id));
		TestOwner next = lapseTo("t");
		assertThat(next.fetch(10).jobs()).isEmpty();
		return next;
	}

	@Test
	void enqueueThatMergesWithABlockedJobOfAnIdThatIsNotBusyMakesItAvailable() {
		TestOwner owner = strand("a");
		enqueue("a", "p3");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2, p3]");
	}

	@Test
	void blockedJobsAreRepaired() {
		TestOwner owner = strand("a");
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 1, 0, 0, 1, 0, 0));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void delayedJobsAreRepaired() {
		TestOwner owner = owner("s");
		for (int i = 0; i < 20; i++) {
			enqueueIn(10, "delayed " + i, "p");
		}
		fail("failed", "p", 10);
		IntStream.range(0, 5).forEach((i) -> call("ZREM", "delayed", bytes("delayed " + i)));
		call("ZREM", "delayed", bytes("failed"));
		call("ZADD", "delayed", bytes("1e15"), bytes("delayed 7"));
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 21, 7, 0, 0, 0, 0));
		assertThat(repairAll().repaired()).isZero();
		assertThat(owner.fetch(100).jobs()).isEmpty();
		this.clock.advanceMillis(10);
		assertThat(owner.fetch(100).jobs()).hasSize(21);
	}

	@Test
	void suspectsAreRepaired() {
		TestOwner owner = crash("a", 2, "p");
		call("DEL", "suspects");
		assertThat(owner.fetchSuspect().jobs()).isEmpty();
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 1, 0, 1, 0, 0, 0));
		assertThat(ids(owner.fetchSuspect())).containsExactly("a");
	}

	@Test
	void readyJobsInNoListAreRepaired() {
		TestOwner owner = owner("s");
		for (String id : List.of("b", "a", "c")) {
			enqueue(id, "p");
			this.clock.advanceMillis(1);
		}
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 3, 0, 0, 0, 0, 0));
		call("DEL", "ready");
		call("HSET", "void", bytes("a"), bytes("1"));
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 3, 0, 0, 0, 3, 0));
		assertThat(call("HGET", "void", bytes("a"))).isEmpty();
		assertThat(ids(owner.fetch(10))).containsExactly("b", "a", "c");
		owner.complete(done("b"), done("a"), done("c"));
		enqueue("a", "p2");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void readyJobsOfGroupsInNoListAreRepaired() {
		TestOwner owner = owner("s");
		for (String id : List.of("acme:1", "acme:2", "globex:1", "globex:2")) {
			enqueue(id, "p");
		}
		owner.call(List.of(), new Fetch(0, 10, false, TestTurns.of(":")));
		call("DEL", "g:acme");
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 4, 0, 0, 0, 2, 0));
		assertThat(repairAll().repaired()).isZero();
	}

	@Test
	void readyJobsAreLeftAloneIfTheListIsTooLong() {
		enqueue("a", "p");
		byte[][] others = IntStream.range(0, 10_000).mapToObj((i) -> bytes("x")).toArray(byte[][]::new);
		call("RPUSH", "ready", others);
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 1, 0, 0, 0, 0, 1));
	}

	@Test
	void delayedJobOfABusyIdWaitsBehindIt() {
		TestOwner owner = owner("s");
		enqueueIn(10, "a", "p2");
		byte[] entry = call("HGET", "jobs", bytes("a"));
		call("HSET", "busy", bytes("a"), entry);
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 1, 1, 0, 0, 0, 0));
		this.clock.advanceMillis(10);
		assertThat(queued("a").performAt()).isLessThanOrEqualTo(now());
		assertThat(owner.call(1, 1, List.of(), new Fetch(10, 10, true)))
			.isEqualTo(new FetchResult.Fetched(List.of(), FetchResult.NOTHING, FetchResult.NOTHING, now(), 0));
		TestOwner next = lapseTo("t");
		assertThat(jobTexts(next.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void whatIsRightOrReadyOrOfALaterVersionIsLeftAlone() {
		TestOwner owner = owner("s");
		enqueue("busy", "p");
		owner.fetch(1);
		enqueue("busy", "p2");
		enqueue("ready", "p");
		enqueueIn(10, "delayed", "p");
		enqueueIn(10, "held", "p");
		this.store.actions().hold(SHARD, List.of("held"));
		enqueueIn(10, "later", "p");
		byte[] later = call("HGET", "jobs", bytes("later"));
		later[PLACE_AT] = 4;
		call("HSET", "jobs", bytes("later"), later);
		call("ZREM", "delayed", bytes("later"));
		assertThat(repairAll()).isEqualTo(new Repair(Repair.START, 5, 0, 0, 0, 0, 0));
		assertThat(call("HGET", "jobs", bytes("later"))).isEqualTo(later);
		assertThat(owner.lastSequence()).isEqualTo(1);
	}

}

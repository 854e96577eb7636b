package io.lowkiq.reliability.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestAdmin;
import org.awaitility.Awaitility;

/**
 * Lets a shard refuse everything for some time, and a queue be removed by an operator
 * whose process dies, by turns. Used by one thread.
 */
final class RefusedParts {

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final int SHARDS = 4;

	private final RedisProcess redis;

	private final RedisStore store;

	private final LowkiqAdmin admin;

	private final String prefix;

	private final Random random;

	private int turn;

	private String refused = "";

	private int refusals;

	private int removals;

	RefusedParts(RedisProcess redis, RedisStore store, String prefix, Random random) {
		this.redis = redis;
		this.store = store;
		this.admin = TestAdmin.of(store);
		this.prefix = prefix;
		this.random = random;
	}

	/** Records the queue that is going to be removed. */
	void begin() {
		tried(() -> this.store.queues().register(OutboxProgram.REMOVED_QUEUE, SHARDS));
	}

	/** Breaks or mends the next thing. */
	void next() {
		switch (this.turn++ % 4) {
			case 0 -> refuse(this.store.queues().find(OutboxProgram.QUEUE).orElseThrow().allShards());
			case 1 -> tried(this::dieWhileRemoving);
			case 2 -> mendShard();
			default -> mendQueue();
		}
	}

	/** Mends all. */
	void end() {
		mendShard();
		mendQueue();
		System.out.printf(Locale.ROOT, "Outbox: a shard refused %d times, a removal died %d times%n", this.refusals,
				this.removals);
	}

	/**
	 * Lets a shard look as if a newer version had written it. Nothing changes it
	 * meanwhile, so it can be mended.
	 */
	private void refuse(List<Shard> shards) {
		this.refused = "%s:{%s}:meta".formatted(this.prefix, shards.get(this.random.nextInt(shards.size())));
		expectOk("""
				local meta = redis.call('GET', KEYS[1])
				redis.call('RENAME', KEYS[1], KEYS[1] .. ':kept')
				local flags = string.char(string.byte(meta, 2) + 4)
				return redis.call('SET', KEYS[1], string.sub(meta, 1, 1) .. flags .. string.sub(meta, 3))""");
		this.refusals++;
	}

	private void mendShard() {
		if (!this.refused.isEmpty()) {
			expectOk("return redis.call('RENAME', KEYS[1] .. ':kept', KEYS[1])");
			this.refused = "";
		}
	}

	private void expectOk(String script) {
		String answer = this.redis.call("EVAL", script, "1", this.refused);
		if (!"OK".equals(answer)) {
			throw new IllegalStateException("Redis answered " + answer);
		}
	}

	/** Nothing is done after the first step, and the queue stays closed. */
	private void dieWhileRemoving() {
		try {
			this.admin.act(OutboxProgram.REMOVED_QUEUE, AdminAction.REMOVE_QUEUE, List.of(), (count, total) -> {
				throw new OperatorDied();
			});
		}
		catch (OperatorDied ex) {
			this.removals++;
		}
	}

	private void mendQueue() {
		tried(() -> {
			try {
				this.admin.removeQueue(OutboxProgram.REMOVED_QUEUE);
			}
			catch (UnknownQueueException ex) {
				// It has been removed
			}
			this.store.queues().register(OutboxProgram.REMOVED_QUEUE, SHARDS);
		});
	}

	/** Connections come back some time after Redis was killed. */
	private static void tried(Runnable call) {
		Awaitility.await().atMost(LONG).ignoreExceptionsInstanceOf(StoreException.class).until(() -> {
			call.run();
			return true;
		});
	}

	/** The end of the process that removes a queue. */
	private static final class OperatorDied extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

}

package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.RedisProblem;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The shards that a removal has closed, or that Redis doesn't know. They are opened if
 * the removal is canceled. If it dies before that, or the shard is unknown, whoever is
 * refused reads the record of the queue: if it names the shard and no removal, exactly
 * this shard is opened, and the call is made once more. Nobody else asks. Thread-safe.
 * <p>
 * The record is read after the refusal, and only that closing is undone. So if a removal
 * begins meanwhile, its closing has a later epoch and stands. An unknown shard is opened
 * within 30 seconds of the refusal by its own clock, so that bytes which were held back
 * open no shard that nobody serves any more.
 */
final class ClosedShards {

	private static final Logger logger = LoggerFactory.getLogger(ClosedShards.class);

	private static final LuaScript OPEN = LuaScript.load("open", "open a shard");

	private static final LuaScript LOOK = LuaScript.load("read", "look up a queue");

	private final RedisConnections connections;

	private final ShardKeys keys;

	private final StoreClock clock;

	private final ShardScripts scripts;

	ClosedShards(RedisConnections connections, ShardKeys keys, StoreClock clock) {
		this.connections = connections;
		this.keys = keys;
		this.clock = clock;
		this.scripts = new ShardScripts(connections, keys, clock);
	}

	/** Makes a call that ends with a {@link QueueClosedException} in a closed shard. */
	<T> T call(Shard shard, Supplier<T> call) {
		try {
			return call.get();
		}
		catch (QueueClosedException ex) {
			await(open(shard, ex, recordOf(shard.queue())));
			return call.get();
		}
	}

	/** As {@link #call}, for a caller that doesn't wait. */
	<T> CompletableFuture<T> start(Shard shard, Supplier<CompletableFuture<T>> call) {
		return call.get()
			.exceptionallyCompose((ex) -> (cause(ex) instanceof QueueClosedException closed)
					? open(shard, closed, recordOf(shard.queue())).thenCompose((opened) -> call.get())
					: CompletableFuture.failedFuture(ex));
	}

	/** As {@link #call}, for many shards of a queue. */
	BatchResult callAll(List<ShardPayloads> all, Function<List<ShardPayloads>, BatchResult> call,
			boolean isUnknownFinal) {
		BatchResult first = call.apply(all);
		Map<Integer, StoreException> problems = new TreeMap<>(first.problems());
		problems.values().removeIf((problem) -> !(problem instanceof QueueClosedException));
		if (problems.isEmpty()) {
			return first;
		}
		List<Integer> again = inOpened(all, problems);
		again.removeIf((position) -> isUnknownFinal && problems.get(position) instanceof QueueClosedException closed
				&& closed.isUnknown());
		BatchResult second = again.isEmpty() ? new BatchResult(0, Map.of())
				: call.apply(again.stream().map(all::get).toList());
		first.problems().forEach(problems::putIfAbsent);
		problems.keySet().removeAll(again);
		second.problems().forEach((number, problem) -> problems.put(again.get(number), problem));
		return new BatchResult(first.merged() + second.merged(), problems);
	}

	private List<Integer> inOpened(List<ShardPayloads> all, Map<Integer, StoreException> refused) {
		CompletableFuture<Reply> record = recordOf(all.get(0).shard().queue());
		Map<Shard, CompletableFuture<Reply>> opened = new LinkedHashMap<>();
		refused.forEach((position, problem) -> opened.computeIfAbsent(all.get(position).shard(),
				(shard) -> open(shard, (QueueClosedException) problem, record)));
		List<Integer> positions = new ArrayList<>(refused.keySet());
		opened.forEach((shard, opening) -> {
			try {
				await(opening);
			}
			catch (StoreException ex) {
				positions.removeIf((position) -> all.get(position).shard().equals(shard));
				refused.replaceAll((position, problem) -> all.get(position).shard().equals(shard) ? ex : problem);
			}
		});
		return positions;
	}

	/** Of a canceled removal, so that nobody continues to empty them. */
	void openAll(QueueLayout queue) {
		List<Shard> shards = new ArrayList<>(queue.allShards());
		List<Long> epochs = new ArrayList<>();
		Map<Integer, StoreException> problems = this.scripts.runEach(OPEN, queue.allShards(),
				(reply) -> epochs.add(reply.number(0)), argument(""), argument(""));
		problems.keySet().forEach((number) -> shards.remove(queue.shard(number)));
		Map<Shard, Long> closed = new HashMap<>();
		for (int i = 0; i < shards.size(); i++) {
			if (epochs.get(i) > 0) {
				closed.put(shards.get(i), epochs.get(i));
			}
		}
		if (!closed.isEmpty() && names(await(recordOf(queue.name())), queue.shard(queue.shards() - 1))) {
			closed.forEach((shard, epoch) -> this.scripts.run(OPEN, shard, argument(epoch), argument("")));
		}
		problems.values()
			.stream()
			.filter((problem) -> !(problem instanceof NewerVersionException))
			.findFirst()
			.ifPresent((problem) -> {
				throw problem;
			});
	}

	/** Reads the record of a queue: it, and nothing that was known before. */
	private CompletableFuture<Reply> recordOf(String queue) {
		return this.connections.start(LOOK, new byte[][] { this.keys.queues() }, new byte[][] { Utf8.bytes(queue) });
	}

	private static boolean names(Reply record, Shard shard) {
		return !record.isNull(0) && RedisQueueRegistry.isOpen(shard, record.text(0));
	}

	/** Ends with the exception of a closing that is to stand, or can't be undone. */
	private CompletableFuture<Reply> open(Shard shard, QueueClosedException closed, CompletableFuture<Reply> record) {
		return record.thenCompose((found) -> names(found, shard)
				? this.connections.start(OPEN, this.keys.of(shard),
						this.clock.before(argument(closed.epoch()), argument(closed.at())))
				: CompletableFuture.<Reply>failedFuture(closed))
			.thenApply((opened) -> {
				if (!closed.isUnknown()) {
					logger.info("Opened shard {}, which a canceled removal of its queue had left closed", shard);
				}
				return opened;
			})
			.exceptionallyCompose((ex) -> {
				Throwable cause = cause(ex);
				if (cause != closed && closed.isUnknown()) {
					// Perhaps the record names it
					return CompletableFuture.failedFuture(RedisProblem.of(OPEN.task(), cause));
				}
				if (cause != closed) {
					closed.addSuppressed(cause);
				}
				return CompletableFuture.failedFuture(closed);
			});
	}

	private Reply await(CompletableFuture<Reply> reply) {
		return this.connections.pending(OPEN.task(), reply).get();
	}

	private static Throwable cause(Throwable problem) {
		return (problem instanceof CompletionException && problem.getCause() != null) ? problem.getCause() : problem;
	}

}

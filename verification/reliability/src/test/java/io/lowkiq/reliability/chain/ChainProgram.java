package io.lowkiq.reliability.chain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.BuryException;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;

/** A node that performs the steps of chains, and writes down each perform. */
final class ChainProgram {

	/** The number of shards of each queue. */
	static final int SHARDS = 3;

	private ChainProgram() {
	}

	/**
	 * Runs until it is killed.
	 * @param arguments the URL of Redis, or host and port of the nodes of a cluster; the
	 * prefix of the keys; and the file of the performs
	 */
	public static void main(String[] arguments) throws InterruptedException {
		RedisStore store = new RedisStore(connect(arguments[0]), arguments[1], null);
		Path performs = Path.of(arguments[2]);
		ThreadPerformContext context = new ThreadPerformContext(
				(keep) -> client(store, workers(StepWorker.NONE)).keeping(keep));
		LowkiqServer server = new LowkiqServer(new ServerOptions(workers(new StepWorker(context, performs)), store)
			.settings(new ServerSettings(5, Duration.ofSeconds(1), Duration.ofSeconds(2), 100, false))
			.performContext(context));
		server.start();
		System.out.println("READY");
		new CountDownLatch(1).await();
	}

	private static LettuceConnectionFactory connect(String redis) {
		List<String> nodes = List.of(redis.split(","));
		return (nodes.size() > 1) ? TestRedis.connectionFactory(new RedisClusterConfiguration(nodes))
				: TestRedis.connectionFactory(redis);
	}

	/** Enqueues the first step of a chain, or all of its steps. */
	static void enqueue(LowkiqClient client, int chain) {
		ChainStep first = new ChainStep(chain, 1, false);
		client.enqueue(first.queue(), first.isByWorker() ? request(first) : wholeChain(first));
	}

	private static JobRequest<ChainStep> request(ChainStep step) {
		return JobRequest.of(step.id(), step);
	}

	private static JobRequest<ChainStep> wholeChain(ChainStep first) {
		JobRequest<ChainStep> request = request(first);
		for (ChainStep step = first.next(); step.step() <= ChainStep.STEPS; step = step.next()) {
			request = request.then(step.queue(), request(step));
		}
		return request;
	}

	static WorkerRegistry workers(PayloadWorker<ChainStep> worker) {
		return new WorkerRegistry(Stream.of(ChainStep.QUEUES)
			.map((queue) -> new RegisteredWorker(queue, PayloadWorker.class, ChainStep.class,
					new RegisteredWorker.Settings(SHARDS, 1, 25, 1_000, 1, 0), () -> worker))
			.toList());
	}

	static ShardedLowkiqClient client(RedisStore store, WorkerRegistry workers) {
		return new ShardedLowkiqClient(workers, store.shards(), store.queues(), new JacksonPayloadCodec(), List.of(),
				LowkiqObserver.NONE);
	}

	/**
	 * Performs a step, and enqueues the next one where the producer has not named it.
	 *
	 * @param context the perform
	 * @param performs the file
	 */
	private record StepWorker(PerformContext context, Path performs) implements PayloadWorker<ChainStep> {

		/** For those who only enqueue. */
		static final PayloadWorker<ChainStep> NONE = (id, step) -> {
		};

		@Override
		public void perform(String id, ChainStep step) throws IOException {
			write("begin", step);
			ChainStep next = step.next();
			LowkiqClient onSuccess = this.context.onSuccess();
			if (step.failsOnce() && this.context.retryCount() < 0) {
				onSuccess.enqueue(next.queue(), id, new ChainStep(step.chain(), next.step(), true));
				throw new IllegalStateException("The step fails at first");
			}
			if (step.failsForGood()) {
				onSuccess.enqueue(next.queue(), id, new ChainStep(step.chain(), next.step(), true));
				throw new BuryException("The step fails for good");
			}
			if (step.isByWorker() && step.step() < ChainStep.STEPS) {
				onSuccess.enqueue(next.queue(), id, next);
			}
			write("end", step);
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return Duration.ofMillis(50);
		}

		/** What is appended to a file outlives the process. */
		private void write(String what, ChainStep step) throws IOException {
			String line = "%s %d %d %b %d%n".formatted(what, step.chain(), step.step(), step.isWrong(),
					System.nanoTime());
			Files.write(this.performs, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE,
					StandardOpenOption.APPEND);
		}

	}

}

package io.lowkiq.dashboard.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;

/**
 * A node with two threads in a JVM of its own. Its performs of the queue "orders" never
 * end, but for that of the id "poison", which ends the node at once.
 */
final class NodeProcess {

	/** The number of shards of the queue. */
	static final int SHARDS = 4;

	private final Process process;

	private NodeProcess(Process process) {
		this.process = process;
	}

	/** Starts a node. */
	static NodeProcess start(String name, String redisUrl) {
		try {
			return new NodeProcess(
					new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
							"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
							NodeProcess.class.getName(), name, redisUrl)
						.redirectErrorStream(true)
						.redirectOutput(ProcessBuilder.Redirect.DISCARD)
						.start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until it has ended by itself. */
	void awaitEnd() throws InterruptedException {
		if (!this.process.waitFor(60, TimeUnit.SECONDS)) {
			this.process.destroyForcibly();
			throw new AssertionError("The node has not ended");
		}
	}

	boolean isRunning() {
		return this.process.isAlive();
	}

	/** Kills it by SIGKILL. */
	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	/**
	 * The node.
	 * @param arguments its name, and the URL of Redis
	 */
	public static void main(String[] arguments) throws InterruptedException {
		new LowkiqServer(new ServerOptions(
				new WorkerRegistry(List.of(new RegisteredWorker("orders", Stuck.class, Object.class,
						new RegisteredWorker.Settings(SHARDS, 1, 25, 1_000, 1, 0), Stuck::new))),
				new RedisStore(TestRedis.connectionFactory(arguments[1]), "lowkiq", null))
			.settings(new ServerSettings(2, Duration.ofSeconds(1), Duration.ofSeconds(3), 1, false))
			.node(arguments[0])).start();
		new CountDownLatch(1).await();
	}

	private static final class Stuck implements Worker<Object> {

		@Override
		public void perform(String id, List<Object> payloads) throws InterruptedException {
			if (id.equals("poison")) {
				Runtime.getRuntime().halt(1);
			}
			new CountDownLatch(1).await();
		}

	}

}

package io.lowkiq.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A run that shuts its own node down is not waited for. */
class ExitTests {

	@Test
	void aRunThatCallsExitIsNotWaitedFor(@TempDir Path directory) throws Exception {
		Path output = directory.resolve("output");
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classPath, Exiting.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
			assertThat(process.exitValue()).as(Files.readString(output)).isEqualTo(3);
			assertThat(output).content()
				.containsOnlyOnce("Their jobs will be performed again: ['a' of orders")
				.contains("Not waiting for runs that shut this node down themselves")
				.contains("others have ended, stopped=true");
		}
		finally {
			process.destroyForcibly();
		}
	}

	/**
	 * An application in which one worker calls exit, while another one runs that is
	 * waited for.
	 */
	static final class Exiting {

		private Exiting() {
		}

		public static void main(String[] arguments) throws IOException {
			CountDownLatch begun = new CountDownLatch(1);
			CountDownLatch stopping = new CountDownLatch(1);
			RegisteredWorker worker = new RegisteredWorker("orders", Worker.class, Integer.class,
					ServerFixture.settings(1, 1, 5), () -> (Worker<Integer>) (id, payloads) -> {
						if (id.equals("a")) {
							begun.await();
							System.exit(3);
						}
						begun.countDown();
						stopping.await();
					});
			RedisStore store = InMemoryRedis.newStore(InstantSource.system());
			WorkerRegistry workers = new WorkerRegistry(List.of(worker));
			LowkiqServer server = new LowkiqServer(new ServerOptions(workers, store));
			Runtime.getRuntime().addShutdownHook(new Thread(() -> {
				stopping.countDown();
				boolean stopped = server.stop(Duration.ofHours(1));
				System.out.println("others have ended, stopped=" + stopped);
			}));
			server.start();
			ShardedLowkiqClient client = new ShardedLowkiqClient(workers, store.shards(), store.queues(),
					new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
			client.enqueue("orders", "a", 1);
			client.enqueue("orders", "b", 1);
		}

	}

}

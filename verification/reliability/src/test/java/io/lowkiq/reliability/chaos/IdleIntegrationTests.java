package io.lowkiq.reliability.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node with nothing to do: 5 threads, 100 shards. It polls only once an hour, so what
 * it does at once it was woken up for.
 */
@Tag("long")
class IdleIntegrationTests {

	private static final int SHARDS = 100;

	private static final int JOBS = 200;

	private static final Duration WINDOW = Duration.ofSeconds(10);

	private final BlockingQueue<Long> starts = new LinkedBlockingQueue<>();

	private final Worker<Long> worker = (id, payloads) -> this.starts.add(System.nanoTime());

	private final WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker("idle", Worker.class,
			Long.class, new RegisteredWorker.Settings(SHARDS, 1, 25, 1_000, 1, 0), () -> this.worker)));

	private final String prefix = TestRedis.uniquePrefix();

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private LowkiqServer server;

	@BeforeEach
	void startIdleNode() {
		this.redis = TestRedis.startPrivate();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
		ServerSettings defaults = ServerSettings.DEFAULTS;
		this.server = new LowkiqServer(new ServerOptions(this.workers, this.store).settings(new ServerSettings(
				defaults.threads(), Duration.ofHours(1), defaults.leaseDuration(), defaults.fetchAhead(), false)));
		this.server.start();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(this::ownsAllShards);
	}

	private boolean ownsAllShards() {
		return this.server.status().shards().stream().filter(ServerStatus.ShardStatus::held).count() == SHARDS;
	}

	@AfterEach
	void stop() {
		this.server.stop(Duration.ofSeconds(5));
		this.factory.destroy();
		this.redis.close();
	}

	@Test
	void jobOnAnIdleNodeStartsBecauseOfAMessage() throws InterruptedException {
		LowkiqClient client = new ShardedLowkiqClient(this.workers, this.store.shards(), this.store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		List<Long> micros = new ArrayList<>();
		for (long job = 0; job < JOBS; job++) {
			long before = System.nanoTime();
			client.enqueue("idle", "id-" + job, job);
			Long start = this.starts.poll(30, TimeUnit.SECONDS);
			assertThat(start).as("start of job %d", job).isNotNull();
			micros.add((start - before) / 1_000);
		}
		Collections.sort(micros);
		System.out.printf("Idle node: from enqueue to start %d us median, %d us 99th percentile, of %d jobs%n",
				micros.get(JOBS / 2), micros.get(JOBS * 99 / 100), JOBS);
	}

	@Test
	void idleNodeSendsFewCommands() throws IOException {
		try (Socket monitor = new Socket(InetAddress.getLoopbackAddress(), this.redis.port())) {
			monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(monitor.getInputStream(), StandardCharsets.UTF_8));
			assertThat(lines.readLine()).isEqualTo("+OK");
			// Once it is subscribed, the node looks at all shards again
			Awaitility.await()
				.pollInSameThread()
				.atMost(Duration.ofSeconds(60))
				.until(() -> commands(monitor, lines, Duration.ofMillis(500)).isEmpty());
			List<String> sent = commands(monitor, lines, WINDOW);
			System.out.printf("Idle node: %d commands in %d s, for %d shards%n", sent.size(), WINDOW.toSeconds(),
					SHARDS);
			assertThat((long) sent.size()).as("commands within %s: %s", WINDOW, sent)
				.isLessThan(5 * WINDOW.toSeconds());
		}
	}

	/** What clients send for a while; what a script calls is marked by "lua". */
	private static List<String> commands(Socket monitor, BufferedReader lines, Duration window) throws IOException {
		List<String> commands = new ArrayList<>();
		long end = System.nanoTime() + window.toNanos();
		try {
			for (long left = window.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
				monitor.setSoTimeout((int) left);
				String line = lines.readLine();
				if (line != null && !line.contains(" lua]")) {
					commands.add(line);
				}
			}
		}
		catch (SocketTimeoutException ex) {
			// The window is over
		}
		return commands;
	}

}

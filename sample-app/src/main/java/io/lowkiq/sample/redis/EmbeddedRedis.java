package io.lowkiq.sample.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.embedded.core.ExecutableProvider;

import org.springframework.beans.factory.DisposableBean;

/**
 * A Redis that begins and ends with the application. Its data is not kept.
 * <p>
 * It is a process of its own that neither Ctrl-C nor the end of the JVM's shutdown hooks
 * stops, so that running jobs can still be finished; it is stopped when its bean is
 * destroyed, after the connections to it are closed.
 */
final class EmbeddedRedis implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedRedis.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	private static final int ATTEMPTS = 5;

	private final RunDirectory directory;

	private final int port;

	private EmbeddedRedis(RunDirectory directory, int port) {
		this.directory = directory;
		this.port = port;
	}

	/** Starts a Redis on a free port. */
	static EmbeddedRedis start(Path parent) {
		if (System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows")) {
			throw new IllegalStateException("There is no embedded Redis for Windows: set spring.data.redis.url");
		}
		try {
			RunDirectory.deleteLeftovers(parent);
			RunDirectory directory = RunDirectory.create(parent);
			Path program = ExecutableProvider.newJarResourceProvider(directory.path().toFile()).get().toPath();
			for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
				int port = freePort();
				if (runs(program, directory, port)) {
					logger.info("No Redis is configured: started an embedded one on port {}, which ends, with its data,"
							+ " with this application. To use your own, set spring.data.redis.url", port);
					return new EmbeddedRedis(directory, port);
				}
			}
			throw new IllegalStateException("The embedded Redis does not start. Set spring.data.redis.url. Its log is "
					+ directory.path().resolve("redis.log"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The embedded Redis does not start. Set spring.data.redis.url", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the embedded Redis starts", ex);
		}
	}

	/** Where it listens on this machine. */
	int port() {
		return this.port;
	}

	@Override
	public void destroy() {
		this.directory.clear();
	}

	/**
	 * Starts the program and waits until it listens. It daemonizes, so the process that
	 * was started ends at once, and the server is in no process group that Ctrl-C
	 * reaches.
	 */
	private static boolean runs(Path program, RunDirectory directory, int port)
			throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(program.toAbsolutePath().toString()));
		command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
		command.addAll(List.of("--dir", directory.path().toString(), "--logfile", "redis.log"));
		command.addAll(List.of("--pidfile", directory.path().resolve(RunDirectory.PID).toString()));
		command.addAll(List.of("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"));
		command.addAll(List.of("--daemonize", "yes"));
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.path().resolve("redis.out").toFile())
			.start();
		if (!process.waitFor(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
			process.destroyForcibly();
			return false;
		}
		return directory.awaitServer();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}

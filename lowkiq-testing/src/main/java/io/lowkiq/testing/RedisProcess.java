package io.lowkiq.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of its own process and directory, that its owner may stop, kill, freeze
 * and start again. Listens on the loopback address only, keeps nothing on disk unless
 * started with {@code --appendonly yes}. Not thread safe.
 */
public final class RedisProcess implements AutoCloseable {

	/*
	 * Ports, and those of the cluster bus 10,000 above, lie below the range from which
	 * Linux takes the ports of outgoing connections: nobody takes the port between stop
	 * and restart.
	 */
	private static final int LOWEST_PORT = 10_240;

	private static final int HIGHEST_PORT = 22_000;

	private static final int BUS_OFFSET = 10_000;

	private static final int ATTEMPTS = 10;

	private static final Duration DEADLINE = Duration.ofSeconds(20);

	private final Path binary;

	private final Map<String, String> environment;

	private final List<String> extraArguments;

	private final Path directory = TestDirectories.create("redis-");

	private final Thread shutdownHook = new Thread(this::destroy);

	private int port;

	private @Nullable Process process;

	private boolean paused;

	private final boolean sentinel;

	private RedisProcess(Path binary, boolean sentinel, Map<String, String> environment, List<String> extraArguments) {
		this.binary = binary;
		this.environment = Map.copyOf(environment);
		this.sentinel = sentinel;
		this.extraArguments = extraArguments;
	}

	static RedisProcess start(Path binary, String... extraArguments) {
		return start(binary, Map.of(), extraArguments);
	}

	static RedisProcess start(Path binary, Map<String, String> environment, String... extraArguments) {
		return start(new RedisProcess(binary, false, environment, List.of(extraArguments)));
	}

	static RedisProcess startSentinel(Path binary) {
		return start(new RedisProcess(binary, true, Map.of(), List.of("--sentinel")));
	}

	private static RedisProcess start(RedisProcess redis) {
		Runtime.getRuntime().addShutdownHook(redis.shutdownHook);
		try {
			redis.startOnFreePort();
		}
		catch (RuntimeException ex) {
			redis.close();
			throw ex;
		}
		return redis;
	}

	/** The host to connect to. */
	public String host() {
		return "127.0.0.1";
	}

	/** The port, which stays the same over restarts. */
	public int port() {
		return this.port;
	}

	/** The URL as {@code spring.data.redis.url} takes it. */
	public String url() {
		return "redis://" + host() + ":" + this.port;
	}

	/** Whether the process is there, frozen or not. */
	public boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Ends the server in good order; what an append-only file holds is kept for
	 * {@link #restart()}. Does nothing if it isn't running.
	 */
	public void stop() {
		Process running = this.process;
		if (running == null) {
			return;
		}
		resume();
		try (RespConnection connection = new RespConnection(this.port)) {
			connection.call("SHUTDOWN", "NOSAVE");
		}
		catch (IOException ex) {
			// It closes the connection instead of answering
		}
		awaitExit(running);
	}

	/** Ends the process at once by SIGKILL. Does nothing if it isn't running. */
	public void kill() {
		Process running = this.process;
		if (running == null) {
			return;
		}
		running.destroyForcibly();
		awaitExit(running);
	}

	/**
	 * Starts the server again, on the same port and directory, after {@link #stop()} or
	 * {@link #kill()}; a running one is stopped first.
	 */
	public void restart() {
		startAgain();
	}

	/**
	 * Starts the server again as {@link #restart()} does, but as a replica from its first
	 * moment on.
	 */
	public void restartAsReplicaOf(RedisProcess master) {
		startAgain("--replicaof", master.host(), Integer.toString(master.port()));
	}

	private void startAgain(String... furtherArguments) {
		stop();
		if (!tryStart(furtherArguments)) {
			throw new IllegalStateException("Port " + this.port + " was taken by somebody else");
		}
	}

	/** Freezes the server by SIGSTOP: connections stay open and nothing is answered. */
	public void pause() {
		signal("-STOP");
		this.paused = true;
	}

	/** Continues after {@link #pause()}, by SIGCONT. Does nothing if it isn't frozen. */
	public void resume() {
		if (this.paused) {
			signal("-CONT");
			this.paused = false;
		}
	}

	/** Kills the server and deletes its directory. */
	@Override
	public void close() {
		try {
			Runtime.getRuntime().removeShutdownHook(this.shutdownHook);
		}
		catch (IllegalStateException ex) {
			// The JVM is going down already
		}
		destroy();
	}

	Path directory() {
		return this.directory;
	}

	/**
	 * Sends a command on a connection of its own, for what tests do to the server itself.
	 * @return the answer as text, {@code null} for nil; the elements of an array are
	 * lines, an error begins with a minus sign
	 */
	public @Nullable String call(String... command) {
		try (RespConnection connection = new RespConnection(this.port)) {
			return connection.call(command);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void destroy() {
		kill();
		TestDirectories.delete(this.directory);
	}

	private void startOnFreePort() {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			this.port = freePort();
			if (tryStart()) {
				return;
			}
		}
		throw new IllegalStateException("No free port found in " + ATTEMPTS + " attempts");
	}

	private boolean tryStart(String... furtherArguments) {
		Path log = this.directory.resolve("redis.log");
		List<String> command = new ArrayList<>(List.of(this.binary.toString()));
		if (this.sentinel) {
			command.add(this.directory.resolve("sentinel.conf").toString());
		}
		command.addAll(List.of("--port", Integer.toString(this.port), "--bind", host(), "--dir",
				this.directory.toString(), "--save", "", "--maxmemory-policy", "noeviction"));
		command.addAll(this.extraArguments);
		command.addAll(List.of(furtherArguments));
		try {
			Files.deleteIfExists(log);
			if (this.sentinel) {
				Files.writeString(this.directory.resolve("sentinel.conf"), "");
			}
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
			builder.environment().putAll(this.environment);
			Process started = builder.start();
			this.process = started;
			Awaitility.await()
				.pollInSameThread()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(10))
				.atMost(DEADLINE)
				.until(() -> !started.isAlive() || answersPing());
			if (started.isAlive()) {
				return true;
			}
			this.process = null;
			String output = Files.readString(log);
			if (output.contains("Address already in use")) {
				return false;
			}
			throw new IllegalStateException("Redis did not start: " + command + "\n" + output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean answersPing() {
		try (RespConnection connection = new RespConnection(this.port)) {
			String answer = connection.call("PING");
			return answer != null && (answer.equals("PONG") || answer.startsWith("-NOAUTH"));
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void awaitExit(Process running) {
		try {
			if (!running.waitFor(5, TimeUnit.SECONDS)) {
				running.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			running.destroyForcibly();
			Thread.currentThread().interrupt();
		}
		this.process = null;
		this.paused = false;
	}

	private void signal(String signal) {
		Process running = this.process;
		if (running == null) {
			throw new IllegalStateException("Redis is not running");
		}
		try {
			int exit = new ProcessBuilder("kill", signal, Long.toString(running.pid())).start().waitFor();
			if (exit != 0) {
				throw new IllegalStateException("kill " + signal + " ended with " + exit);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	static int freePort() {
		while (true) {
			int candidate = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
			if (isFree(candidate) && isFree(candidate + BUS_OFFSET)) {
				return candidate;
			}
		}
	}

	private static boolean isFree(int candidate) {
		try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}

package io.lowkiq.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.redis.inmemory.RealRedis;
import io.lowkiq.redis.inmemory.Replies;
import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records what a storage on a real Redis calls during random runs, and makes the same
 * calls on an empty real Redis and in memory: every script with every reply, and what the
 * keys hold.
 */
class RecordedScriptsIntegrationTests {

	private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");

	private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9a-f]{2}|.)");

	private static final Set<String> RECORDED = Set.of("eval", "evalsha", "hget", "hgetall", "hmget", "hkeys", "hset",
			"hdel");

	private final RedisProcess server = TestRedis.startPrivate();

	private final RealRedis real = new RealRedis(this.server.url());

	private final InMemoryRedis memory = new InMemoryRedis(InstantSource.system());

	/** The texts of the scripts that were called, by digest. */
	private final Map<String, String> scripts = new HashMap<>();

	@AfterEach
	void close() {
		this.real.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void scriptsDoTheSameAsOnRedis(Payloads payloads) throws IOException {
		List<String> calls = new ArrayList<>();
		for (int policy = 0; policy < 4; policy++) {
			long seed = ShrinkingRun.seed() + policy;
			calls.addAll(record((clock, store) -> new RandomRun(seed, clock, new OneStore(store), payloads)
				.run(IntStream.range(0, (payloads == Payloads.MANY) ? 300 : 700).boxed().toList())));
		}
		replay(calls);
	}

	@Test
	void everyScriptIsCalled() throws IOException {
		List<String> calls = record((clock, store) -> {
			new RandomRun(ShrinkingRun.seed(), clock, new OneStore(store), Payloads.OF_ALL_KINDS)
				.run(IntStream.range(0, 500).boxed().toList());
			QueueLayout queue = store.queues().register("removed", 1);
			Shard shard = new Shard("removed", queue.generation(), 0);
			store.shards().enqueue(shard, List.of(NewPayload.of("a", new byte[] { 1 })));
			store.queues().beginRemoval(queue);
			store.actions().close(shard, null, false);
			store.actions().empty(shard, 100);
			store.queues().endRemoval(queue);
			NodeInfo info = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of(), false);
			store.nodes().join("session", info);
			store.nodes().beat("session", info);
			store.nodes().assign(new Assignment(1, Map.of(shard, "session")));
			store.nodes().leave("session");
		});
		replay(calls);
		Set<String> missing = allScripts();
		missing
			.removeAll(this.scripts.values().stream().map((text) -> text.lines().findFirst().orElseThrow()).toList());
		assertThat(missing).as("First lines of scripts that were not called").isEmpty();
	}

	private static Set<String> allScripts() throws IOException {
		URL place = Objects.requireNonNull(RedisStore.class.getResource("enqueue.lua"));
		if (place.getProtocol().equals("file")) {
			return firstLines(Path.of(URI.create(place.toString())).getParent());
		}
		String[] parts = place.toString().split("!");
		try (FileSystem jar = FileSystems.newFileSystem(URI.create(parts[0]), Map.of())) {
			return firstLines(jar.getPath(parts[1]).getParent());
		}
	}

	private static Set<String> firstLines(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> file.toString().endsWith(".lua")).map((file) -> {
				try {
					return Files.readAllLines(file).get(0);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}).collect(Collectors.toCollection(TreeSet::new));
		}
	}

	/**
	 * What uses a storage.
	 */
	private interface Use {

		void of(MovableClock clock, TestedStore store);

	}

	/** Returns the lines of Redis' monitor. */
	private List<String> record(Use use) throws IOException {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(this.server.url());
		MovableClock clock = new MovableClock();
		List<String> calls = new ArrayList<>();
		try (Socket monitor = new Socket(this.server.host(), this.server.port());
				RedisStore store = new RedisStore(connections, TestRedis.uniquePrefix(), clock)) {
			monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(monitor.getInputStream(), StandardCharsets.ISO_8859_1));
			assertThat(lines.readLine()).isEqualTo("+OK");
			CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> read(lines, calls));
			this.real.call(bytes("SCRIPT"), bytes("FLUSH"));
			use.of(clock, TestedStore.of(store, () -> {
			}));
			this.server.call("ECHO", "the end");
			assertThat(reading).succeedsWithin(30, TimeUnit.SECONDS);
		}
		finally {
			connections.destroy();
		}
		return calls;
	}

	private static void read(BufferedReader lines, List<String> calls) {
		try {
			for (String line = lines.readLine(); !line.contains("\"the end\""); line = lines.readLine()) {
				if (!line.contains(" lua]")) {
					calls.add(line);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void replay(List<String> lines) {
		this.real.call(bytes("FLUSHALL"));
		this.real.call(bytes("SCRIPT"), bytes("FLUSH"));
		int count = 0;
		for (String line : lines) {
			List<String> call = arguments(line);
			if (!RECORDED.contains(call.get(0).toLowerCase(java.util.Locale.ROOT))) {
				continue;
			}
			byte[][] command = call.stream().map(RecordedScriptsIntegrationTests::bytes).toArray(byte[][]::new);
			Object expected = this.real.call(command);
			Object actual = Replies.of(call.get(0).equalsIgnoreCase("eval") || call.get(0).equalsIgnoreCase("evalsha")
					? run(call, command) : this.memory.call(command));
			assertThat(describe(call, actual)).as("Call %d: %s", count, line).isEqualTo(describe(call, expected));
			if (++count % 100 == 0) {
				compareKeys(line);
			}
		}
		compareKeys("the end");
		assertThat(count).isGreaterThan(100);
	}

	private CompletableFuture<@Nullable Object> run(List<String> call, byte[][] command) {
		int keys = Integer.parseInt(call.get(2));
		byte[][] given = Arrays.copyOfRange(command, 3, 3 + keys);
		byte[][] arguments = Arrays.copyOfRange(command, 3 + keys, command.length);
		if (call.get(0).equalsIgnoreCase("evalsha")) {
			return this.memory.evalsha(call.get(1), given, arguments);
		}
		this.scripts.put(call.get(1), call.get(1));
		return this.memory.eval(command[1], given, arguments);
	}

	private String describe(List<String> call, @Nullable Object reply) {
		boolean isPage = call.size() == 3 + 11 + 9 && Set.of("QUEUED", "BUSY").contains(call.get(15));
		if (!isPage || !(reply instanceof List<?> page) || page.size() != 3) {
			return (reply instanceof Map) ? String.valueOf(reply) : Replies.describe(sortedIfHash(call, reply));
		}
		// The order of a hash is nobody's business, nor where a page of it ends
		boolean whole = call.get(18).isEmpty() && page.get(0) == null;
		return whole ? ((List<?>) page.get(2)).stream().map(Replies::describe).sorted().toList().toString() : "a page";
	}

	private static @Nullable Object sortedIfHash(List<String> call, @Nullable Object reply) {
		return (reply instanceof List<?> list
				&& Set.of("HGETALL", "HKEYS").contains(call.get(0).toUpperCase(java.util.Locale.ROOT)))
						? list.stream().map(Replies::describe).sorted().toList().toString() : reply;
	}

	private void compareKeys(String place) {
		for (Object key : (List<?>) Objects.requireNonNull(this.real.call(bytes("KEYS"), bytes("*")))) {
			byte[] name = (byte[]) key;
			List<String> dump = switch (String.valueOf(this.real.call(bytes("TYPE"), name))) {
				case "string" -> List.of("GET");
				case "hash" -> List.of("HGETALL");
				case "list" -> List.of("LRANGE", "0", "-1");
				default -> List.of("ZRANGE", "0", "-1", "WITHSCORES");
			};
			byte[][] command = Stream
				.concat(Stream.of(bytes(dump.get(0)), name),
						dump.stream().skip(1).map(RecordedScriptsIntegrationTests::bytes))
				.toArray(byte[][]::new);
			assertThat(describe(dump, Replies.of(this.memory.call(command))))
				.as("%s, after %s", new String(name, StandardCharsets.UTF_8), place)
				.isEqualTo(describe(dump, this.real.call(command)));
		}
	}

	private static List<String> arguments(String line) {
		List<String> arguments = new ArrayList<>();
		Matcher matcher = ARGUMENT.matcher(line);
		while (matcher.find()) {
			arguments.add(ESCAPE.matcher(matcher.group(1))
				.replaceAll((escape) -> Matcher.quoteReplacement(unescape(escape.group(1)))));
		}
		return arguments;
	}

	private static String unescape(String escaped) {
		return switch (escaped.charAt(0)) {
			case 'x' -> String.valueOf((char) Integer.parseInt(escaped.substring(1), 16));
			case 'n' -> "\n";
			case 'r' -> "\r";
			case 't' -> "\t";
			case 'a' -> "\u0007";
			case 'b' -> "\b";
			default -> escaped;
		};
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Makes each operation on a storage.
	 *
	 * @param store the storage
	 */
	private record OneStore(TestedStore store) implements RandomRun.Steps {

		@Override
		public <T> T step(String description, Function<TestedStore, T> operation) {
			return operation.apply(this.store);
		}

		@Override
		public void check() {
			this.store.inspection().counts(StoreContract.SHARD);
		}

		@Override
		public void close() {
		}

	}

}

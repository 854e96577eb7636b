package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;

/**
 * The recorded queues: a hash of name to {@code generation:shards}.
 */
final class RedisQueueRegistry implements QueueRegistry {

	private static final Pattern LAYOUT = Pattern.compile("(\\d{1,9}):(\\d{1,5})");

	private static final int FIRST_GENERATION = 1;

	private final ScriptRunner runner;

	private final byte[] key;

	RedisQueueRegistry(ScriptRunner runner, ShardKeys keys) {
		this.runner = runner;
		this.key = keys.queues();
	}

	@Override
	public QueueLayout register(String name, int shards) {
		byte[] layout = ShardKeys.bytes(FIRST_GENERATION + ":" + shards);
		this.runner.call("the recording of queue " + name,
				(connection) -> connection.hashCommands().hSetNX(this.key, ShardKeys.bytes(name), layout));
		return find(name)
			.orElseThrow(() -> new StoreException("Queue %s vanished while it was recorded".formatted(name), null));
	}

	@Override
	public Optional<QueueLayout> find(String name) {
		return this.runner
			.call("the look-up of queue " + name,
					(connection) -> Optional
						.ofNullable(connection.hashCommands().hGet(this.key, ShardKeys.bytes(name))))
			.map((layout) -> layout(name, layout));
	}

	@Override
	public List<QueueLayout> all() {
		Map<byte[], byte[]> layouts = this.runner.call("the look-up of the queues",
				(connection) -> connection.hashCommands().hGetAll(this.key));
		return layouts.entrySet()
			.stream()
			.map((entry) -> layout(new String(entry.getKey(), StandardCharsets.UTF_8), entry.getValue()))
			.sorted(Comparator.comparing(QueueLayout::name))
			.toList();
	}

	private static QueueLayout layout(String name, byte[] layout) {
		String text = new String(layout, StandardCharsets.UTF_8);
		Matcher matcher = LAYOUT.matcher(text);
		if (matcher.matches()) {
			int generation = Integer.parseInt(matcher.group(1));
			int shards = Integer.parseInt(matcher.group(2));
			if (generation > 0 && shards > 0 && shards <= QueueLayout.MAX_SHARDS) {
				return new QueueLayout(name, generation, shards);
			}
		}
		throw new StoreException("Queue %s is recorded as '%s', which is no layout".formatted(name, text), null);
	}

}

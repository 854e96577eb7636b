package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorded queues: a hash of name to {@code generation:shards}. What is recorded in
 * another form concerns only the queue of that name.
 */
final class RedisQueueRegistry implements QueueRegistry {

	private static final Logger logger = LoggerFactory.getLogger(RedisQueueRegistry.class);

	private static final Pattern LAYOUT = Pattern.compile("(\\d{1,9}):(\\d{1,5})");

	private static final int FIRST_GENERATION = 1;

	private final ScriptRunner runner;

	private final byte[] key;

	/** The unreadable records that were logged. */
	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	RedisQueueRegistry(ScriptRunner runner, ShardKeys keys) {
		this.runner = runner;
		this.key = keys.queues();
	}

	@Override
	public QueueLayout register(String name, int shards) {
		Optional<QueueLayout> recorded = find(name);
		if (recorded.isPresent()) {
			return recorded.get();
		}
		byte[] layout = ShardKeys.bytes(FIRST_GENERATION + ":" + shards);
		this.runner.call("record queue " + name,
				(commands) -> commands.hsetnx(this.key, ShardKeys.bytes(name), layout));
		return find(name)
			.orElseThrow(() -> new StoreException("Queue %s vanished while it was recorded".formatted(name), null));
	}

	@Override
	public Optional<QueueLayout> find(String name) {
		byte[] layout = this.runner.call("look up queue " + name,
				(commands) -> commands.hget(this.key, ShardKeys.bytes(name)));
		if (layout == null) {
			return Optional.empty();
		}
		return Optional
			.of(parse(name, text(layout)).orElseThrow(() -> new StoreException(unreadable(name, text(layout)), null)));
	}

	@Override
	public List<QueueLayout> all() {
		return this.runner.call("look up the queues", (commands) -> commands.hgetall(this.key))
			.entrySet()
			.stream()
			.flatMap((entry) -> readable(text(entry.getKey()), text(entry.getValue())).stream())
			.sorted(Comparator.comparing(QueueLayout::name))
			.toList();
	}

	private Optional<QueueLayout> readable(String name, String layout) {
		Optional<QueueLayout> found = parse(name, layout);
		if (found.isEmpty() && this.logged.add(name + "=" + layout)) {
			logger.warn("{}", unreadable(name, layout));
		}
		return found;
	}

	private String unreadable(String name, String layout) {
		return "The record of queue '%s' in Redis is '%s', but should be 'generation:shards', such as '1:5'. The queue is skipped. Restore the record by HSET, or delete it by HDEL if the queue is not in use; the key is %s"
			.formatted(name, layout, text(this.key));
	}

	private static Optional<QueueLayout> parse(String name, String layout) {
		Matcher matcher = LAYOUT.matcher(layout);
		if (matcher.matches()) {
			int generation = Integer.parseInt(matcher.group(1));
			int shards = Integer.parseInt(matcher.group(2));
			if (generation > 0 && shards > 0 && shards <= QueueLayout.MAX_SHARDS) {
				return Optional.of(new QueueLayout(name, generation, shards));
			}
		}
		return Optional.empty();
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}

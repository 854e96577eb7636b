package io.lowkiq.redis;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.NewerVersionException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.QueueUse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorded queues: a hash of name to {@code generation:shards}, followed by {@code
 * :group=} and the separator if each group belongs to one shard. A newer version may
 * append to it.
 */
final class RedisQueueRegistry implements QueueRegistry {

	private static final Logger logger = LoggerFactory.getLogger(RedisQueueRegistry.class);

	private static final Pattern LAYOUT = Pattern.compile("(\\d{1,9}):(\\d{1,5})(?::group=(.{1,8}))?(:removing)?",
			Pattern.DOTALL);

	private static final Pattern NEWER = Pattern.compile("\\d{1,9}:\\d{1,5}\\D.*", Pattern.DOTALL);

	/** Begins the fields that remember the last generation of a removed queue. */
	private static final String REMOVED = "removed:";

	private static final LuaScript RECORD = LuaScript.load("queue-record", "record a queue");

	private static final LuaScript REMOVE = LuaScript.load("queue-remove", "remove a queue");

	private static final LuaScript USE = LuaScript.load("queue-use", "record who serves a queue");

	private static final LuaScript LOOK_USES = LuaScript.load("read", "look up who serves the queues");

	private static final LuaScript LOOK = LuaScript.load("read", "look up a queue");

	private static final LuaScript LOOK_ALL = LuaScript.load("read", "look up the queues");

	private final ScriptCaller caller;

	private final byte[] key;

	private final ShardKeys keys;

	private final ClosedShards closed;

	private final RedisGroupOverrides groups;

	private final Map<String, QueueLayout> known = new ConcurrentHashMap<>();

	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	RedisQueueRegistry(ScriptCaller caller, ShardKeys keys, StoreClock clock, ClosedShards closed) {
		this.caller = caller;
		this.key = keys.queues();
		this.keys = keys;
		this.closed = closed;
		this.groups = new RedisGroupOverrides(caller, keys, clock);
	}

	@Override
	public QueueLayout register(QueueDeclaration declared) {
		String name = declared.queue();
		QueueLayout before = this.known.get(name);
		String recorded = this.caller
			.run(RECORD, keys(),
					Stream
						.of(name, layout(declared.shards(), declared.oneShardPerGroup()),
								(before != null) ? Integer.toString(before.generation()) : "0",
								(before != null) ? layout(before.shards(), before.oneShardPerGroup()) : "")
						.map(Utf8::bytes)
						.toArray(byte[][]::new))
			.text(0);
		if (isBeingRemoved(recorded)) {
			throw new StoreException(
					"Queue '%s' is being removed. It can be recorded again when that has ended; run the removal again if it has stopped"
						.formatted(name),
					null);
		}
		return known(name, recorded);
	}

	private QueueLayout known(String name, String recorded) {
		QueueLayout layout = parse(name, recorded).orElseThrow(() -> unreadable(name, recorded));
		this.known.put(name, layout);
		return layout;
	}

	@Override
	public Optional<QueueLayout> find(String name) {
		Reply reply = this.caller.run(LOOK, keys(), new byte[][] { Utf8.bytes(name) });
		return reply.isNull(0) ? Optional.empty() : Optional.of(known(name, reply.text(0)));
	}

	@Override
	public boolean beginRemoval(QueueLayout queue) {
		return remove(queue, "begin");
	}

	@Override
	public boolean cancelRemoval(QueueLayout queue) {
		boolean canceled = remove(queue, "cancel");
		if (canceled) {
			this.closed.openAll(queue);
		}
		return canceled;
	}

	@Override
	public boolean endRemoval(QueueLayout queue) {
		return remove(queue, "end");
	}

	private boolean remove(QueueLayout queue, String step) {
		byte[][] arguments = Stream
			.of(queue.name(), queue.generation() + ":" + layout(queue.shards(), queue.oneShardPerGroup()), step,
					Integer.toString(queue.generation()))
			.map(Utf8::bytes)
			.toArray(byte[][]::new);
		byte[][] changed = Stream.concat(Stream.of(this.keys.groupChanges(queue)), Stream.of(this.keys.uses()))
			.toArray(byte[][]::new);
		return this.caller.run(REMOVE, changed, arguments).number(0) == 1;
	}

	@Override
	public Map<String, QueueUse> uses() {
		Reply reply = this.caller.run(LOOK_USES, new byte[][] { this.keys.uses() }, new byte[0][]);
		Map<String, QueueUse> uses = new HashMap<>();
		for (int i = 0; i < reply.size(); i += 2) {
			uses.put(reply.text(i), use(reply.text(i), reply.text(i + 1)));
		}
		return uses;
	}

	@Override
	public QueueUse recordUse(String queue, @Nullable QueueUse known, QueueUse use) {
		byte[][] arguments = Stream.of(queue, (known != null) ? text(known) : "", text(use))
			.map(Utf8::bytes)
			.toArray(byte[][]::new);
		return use(queue, this.caller.run(USE, new byte[][] { this.keys.uses() }, arguments).text(0));
	}

	private static String text(QueueUse use) {
		return use.payloadType() + "\n" + use.application();
	}

	private QueueUse use(String queue, String text) {
		int end = text.indexOf('\n');
		if (end < 0) {
			throw new StoreException("Who serves queue '%s' can't be read. Delete the field by HDEL; the key is %s"
				.formatted(queue, Utf8.text(this.keys.uses())), null);
		}
		return new QueueUse(text.substring(end + 1), text.substring(0, end));
	}

	static String layout(int shards, String oneShardPerGroup) {
		return shards + (oneShardPerGroup.isEmpty() ? "" : ":group=" + oneShardPerGroup);
	}

	private byte[][] keys() {
		return new byte[][] { this.key };
	}

	@Override
	public int override(QueueLayout queue, Map<String, GroupOverride> overrides, Set<GroupOverride.Part> parts) {
		return this.groups.override(queue, overrides, parts);
	}

	@Override
	public GroupOverrides overrides(QueueLayout queue) {
		return this.groups.read(queue);
	}

	@Override
	public Map<String, GroupOverride> forgottenOverrides(QueueLayout queue) {
		return this.groups.forgotten(queue);
	}

	@Override
	public Set<QueueLayout> changedOverrides(Map<QueueLayout, GroupOverrides> known) {
		return this.groups.changed(known);
	}

	@Override
	public List<QueueLayout> all() {
		Reply reply = this.caller.run(LOOK_ALL, keys(), new byte[0][]);
		return IntStream.range(0, reply.size() / 2)
			.map((i) -> 2 * i)
			.filter((i) -> !reply.text(i).startsWith(REMOVED))
			.mapToObj((i) -> readable(reply.text(i), reply.text(i + 1)))
			.flatMap(Optional::stream)
			.sorted(Comparator.comparing(QueueLayout::name))
			.toList();
	}

	private Optional<QueueLayout> readable(String name, String layout) {
		Optional<QueueLayout> found = parse(name, layout);
		if (found.isEmpty() && this.logged.add(name + "=" + layout)) {
			logger.warn("{}", unreadable(name, layout).getMessage());
		}
		return found;
	}

	private StoreException unreadable(String name, String layout) {
		if (NEWER.matcher(layout).matches()) {
			return NewerVersionException.ofQueue(name, LogText.of(layout));
		}
		return new StoreException(
				"The record of queue '%s' in Redis is '%s', but should be 'generation:shards', such as '1:5', perhaps with ':group=' and a separator. The queue is skipped. Restore the record by HSET, or delete it by HDEL if the queue is not in use; the key is %s"
					.formatted(name, layout, Utf8.text(this.key)),
				null);
	}

	/** Whether a record names a shard, and its queue is not being removed. */
	static boolean isOpen(Shard shard, String recorded) {
		return !isBeingRemoved(recorded) && parse(shard.queue(), recorded)
			.filter((layout) -> layout.generation() == shard.generation() && shard.index() < layout.shards())
			.isPresent();
	}

	private static boolean isBeingRemoved(String recorded) {
		Matcher matcher = LAYOUT.matcher(recorded);
		return matcher.matches() && matcher.group(4) != null;
	}

	private static Optional<QueueLayout> parse(String name, String layout) {
		Matcher matcher = LAYOUT.matcher(layout);
		if (matcher.matches()) {
			int generation = Integer.parseInt(matcher.group(1));
			int shards = Integer.parseInt(matcher.group(2));
			if (generation > 0 && shards > 0 && shards <= QueueLayout.MAX_SHARDS) {
				return Optional.of(new QueueLayout(name, generation, shards, Objects.toString(matcher.group(3), "")));
			}
		}
		return Optional.empty();
	}

}

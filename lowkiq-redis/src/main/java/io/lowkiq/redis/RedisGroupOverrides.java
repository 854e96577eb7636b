package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.RateLimit;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.internal.LogText;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupOverride.Part;
import io.lowkiq.store.GroupOverrides;
import io.lowkiq.store.QueueLayout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static io.lowkiq.redis.ShardScripts.argument;

/**
 * The settings that operators have made for groups: a hash for each queue, as
 * {@code group-override.lua} says. Thread-safe.
 */
final class RedisGroupOverrides {

	private static final Logger logger = LoggerFactory.getLogger(RedisGroupOverrides.class);

	private static final String REVISION = "revision";

	/** When, the value, and who. */
	private static final Pattern VALUE = Pattern.compile("(\\d{1,15}) (\\S{1,60}) (.*)", Pattern.DOTALL);

	/** Starts, the period in milliseconds, and the burst. */
	private static final Pattern RATE = Pattern.compile("(\\d{1,7})/(\\d{1,8})/(\\d{1,7})");

	private static final int MAX_NAME = 200;

	private static final LuaScript OVERRIDE = LuaScript.load("group-override", "set something for a group");

	private static final LuaScript READ_REVISIONS = LuaScript.load("read-field", "look up whether groups have changed");

	private static final LuaScript READ = LuaScript.load("read", "look up what is set for groups");

	private final ScriptCaller caller;

	private final ShardKeys keys;

	private final StoreClock clock;

	/** The fields that could not be read and were logged. */
	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	RedisGroupOverrides(ScriptCaller caller, ShardKeys keys, StoreClock clock) {
		this.caller = caller;
		this.keys = keys;
		this.clock = clock;
	}

	void override(QueueLayout queue, String group, GroupOverride override) {
		List<byte[]> fields = new ArrayList<>();
		add(fields, Part.PAUSE, group, override.pause(), (value) -> "true");
		add(fields, Part.CONCURRENCY, group, override.concurrency(), String::valueOf);
		add(fields, Part.RATE, group, override.rate(),
				(rate) -> rate.starts() + "/" + rate.period().toMillis() + "/" + rate.burst());
		add(fields, Part.WEIGHT, group, override.weight(), String::valueOf);
		change(queue, fields);
	}

	private static <T> void add(List<byte[]> fields, Part part, String group, @Nullable Change<T> change,
			Function<T, String> text) {
		if (change != null) {
			fields.add(field(part, group));
			fields.add(argument(text.apply(change.value()) + " " + LogText.beginning(change.by(), MAX_NAME)));
		}
	}

	void reset(QueueLayout queue, String group, Set<Part> parts) {
		List<byte[]> fields = new ArrayList<>();
		parts.forEach((part) -> {
			fields.add(field(part, group));
			fields.add(new byte[0]);
		});
		change(queue, fields);
	}

	private void change(QueueLayout queue, List<byte[]> fields) {
		if (fields.isEmpty()) {
			return;
		}
		List<byte[]> arguments = new ArrayList<>(List.of(this.keys.commonChannel(), argument(WakeUpMessage.CHANGED),
				argument(queue.name()), argument(Integer.toString(queue.generation()))));
		arguments.addAll(fields);
		byte[][] keys = { this.keys.queues(), this.keys.groupOverrides(queue) };
		if (this.caller.run(OVERRIDE, keys, this.clock.before(arguments.toArray(byte[][]::new))).number(0) == 0) {
			throw new UnknownQueueException(
					"Nothing can be set for groups of queue '%s': it has been removed".formatted(queue.name()));
		}
	}

	private static byte[] field(Part part, String group) {
		return argument(label(part) + ":" + group);
	}

	private static String label(Part part) {
		return part.name().toLowerCase(Locale.ROOT);
	}

	Set<QueueLayout> changed(Map<QueueLayout, GroupOverrides> known) {
		Set<QueueLayout> changed = new LinkedHashSet<>();
		if (!known.isEmpty()) {
			byte[][] keys = known.keySet().stream().map(this.keys::groupOverrides).toArray(byte[][]::new);
			Reply reply = this.caller.run(READ_REVISIONS, keys, new byte[][] { argument(REVISION) });
			int place = 0;
			for (Map.Entry<QueueLayout, GroupOverrides> queue : known.entrySet()) {
				String revision = reply.isNull(place) ? "" : reply.text(place);
				if (!revision.equals(queue.getValue().revision())) {
					changed.add(queue.getKey());
				}
				place++;
			}
		}
		return changed;
	}

	GroupOverrides read(QueueLayout queue) {
		Reply reply = this.caller.run(READ, keys(queue), new byte[0][]);
		Map<String, GroupOverride> groups = new HashMap<>();
		String read = "";
		for (int i = 0; i + 1 < reply.size(); i += 2) {
			String field = reply.text(i);
			int end = field.indexOf(':');
			if (field.equals(REVISION)) {
				read = reply.text(i + 1);
			}
			else if (end >= 0) {
				String value = reply.text(i + 1);
				groups.compute(field.substring(end + 1), (group, before) -> with(queue,
						(before != null) ? before : GroupOverride.NONE, field, field.substring(0, end), value));
			}
		}
		return (reply.size() > 0) ? new GroupOverrides(read, groups) : GroupOverrides.NONE;
	}

	private GroupOverride with(QueueLayout queue, GroupOverride before, String field, String part, String value) {
		Matcher matcher = VALUE.matcher(value);
		boolean isReadable = matcher.matches();
		if (part.equals(label(Part.PAUSE))) {
			Change<Boolean> pause = isReadable ? change(matcher, Boolean.TRUE) : new Change<>(true, "", 0);
			return new GroupOverride(pause, before.concurrency(), before.rate(), before.weight());
		}
		RateLimit rate = (isReadable && part.equals(label(Part.RATE))) ? rate(matcher.group(2)) : null;
		if (rate != null) {
			return new GroupOverride(before.pause(), before.concurrency(), change(matcher, rate), before.weight());
		}
		Integer number = isReadable ? number(matcher.group(2)) : null;
		if (number != null && part.equals(label(Part.CONCURRENCY))) {
			return new GroupOverride(before.pause(), change(matcher, number), before.rate(), before.weight());
		}
		if (number != null && part.equals(label(Part.WEIGHT))) {
			return new GroupOverride(before.pause(), before.concurrency(), before.rate(), change(matcher, number));
		}
		if (this.logged.add(queue.name() + " " + field + " " + value)) {
			logger.warn(
					"The setting {} of a group of queue '{}' has no effect, because its value '{}' can't be read. Set it again, or delete the field by HDEL; the key is {}",
					LogText.of(field), queue.name(), LogText.of(value), Utf8.text(this.keys.groupOverrides(queue)));
		}
		return before;
	}

	private static <T> Change<T> change(Matcher matcher, T value) {
		return new Change<>(value, matcher.group(3), Long.parseLong(matcher.group(1)));
	}

	private static @Nullable Integer number(String text) {
		return text.matches("[1-9]\\d{0,6}") ? Integer.valueOf(text) : null;
	}

	private static @Nullable RateLimit rate(String text) {
		Matcher matcher = RATE.matcher(text);
		if (!matcher.matches()) {
			return null;
		}
		RateLimit rate = new RateLimit(Integer.parseInt(matcher.group(1)),
				Duration.ofMillis(Long.parseLong(matcher.group(2))), Integer.parseInt(matcher.group(3)));
		return rate.isValid() ? rate : null;
	}

	private byte[][] keys(QueueLayout queue) {
		return new byte[][] { this.keys.groupOverrides(queue) };
	}

}

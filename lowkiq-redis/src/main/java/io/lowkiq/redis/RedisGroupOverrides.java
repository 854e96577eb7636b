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

/** The settings of groups by operators, as in {@code group-override.lua}. Thread-safe. */
final class RedisGroupOverrides {

	private static final Logger logger = LoggerFactory.getLogger(RedisGroupOverrides.class);

	private static final String REVISION = "revision";

	/** When, the value, and who. */
	private static final Pattern VALUE = Pattern.compile("(\\d{1,15}) (\\S{1,60}) (.*)", Pattern.DOTALL);

	/** Starts, the period in milliseconds, and the burst. */
	private static final Pattern RATE = Pattern.compile("(\\d{1,7})/(\\d{1,8})/(\\d{1,7})");

	private static final int MAX_NAME = 200;

	private static final int STEP = 500;

	private static final LuaScript OVERRIDE = LuaScript.load("group-override", "set something for a group");

	private static final LuaScript READ_REVISIONS = LuaScript.load("read-field", "look up whether groups have changed");

	private static final LuaScript READ = LuaScript.load("group-changes", "look up what is set for groups");

	private final ScriptCaller caller;

	private final ShardKeys keys;

	private final StoreClock clock;

	/** The settings that were read last. Written and read by all threads. */
	private final Map<QueueLayout, GroupOverrides> known = new ConcurrentHashMap<>();

	/** Settings that Redis has forgotten. Written and read by all threads. */
	private final Map<QueueLayout, Map<String, GroupOverride>> forgotten = new ConcurrentHashMap<>();

	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	RedisGroupOverrides(ScriptCaller caller, ShardKeys keys, StoreClock clock) {
		this.caller = caller;
		this.keys = keys;
		this.clock = clock;
	}

	int override(QueueLayout queue, Map<String, GroupOverride> overrides, Set<Part> parts) {
		List<Map.Entry<String, GroupOverride>> all = List.copyOf(overrides.entrySet());
		int changed = 0;
		for (int from = 0; from < all.size() && !parts.isEmpty(); from += STEP) {
			List<byte[]> fields = new ArrayList<>();
			for (Map.Entry<String, GroupOverride> group : all.subList(from, Math.min(from + STEP, all.size()))) {
				parts.forEach((part) -> {
					fields.add(argument(label(part) + ":" + group.getKey()));
					fields.add(argument(value(part, group.getValue())));
				});
			}
			changed += change(queue, fields);
		}
		return changed;
	}

	private static String value(Part part, GroupOverride override) {
		return switch (part) {
			case PAUSE -> value(override.pause(), (value) -> "true");
			case CONCURRENCY -> value(override.concurrency(), String::valueOf);
			case RATE ->
				value(override.rate(), (rate) -> rate.starts() + "/" + rate.period().toMillis() + "/" + rate.burst());
			case WEIGHT -> value(override.weight(), String::valueOf);
		};
	}

	private static <T> String value(@Nullable Change<T> change, Function<T, String> text) {
		return (change != null) ? text.apply(change.value()) + " " + LogText.beginning(change.by(), MAX_NAME) : "";
	}

	private int change(QueueLayout queue, List<byte[]> fields) {
		List<byte[]> arguments = new ArrayList<>(List.of(this.keys.commonChannel(), argument(WakeUpMessage.CHANGED),
				argument(queue.name()), argument(Integer.toString(queue.generation()))));
		arguments.addAll(fields);
		long changed = this.caller
			.run(OVERRIDE, this.keys.groupChanges(queue), this.clock.before(arguments.toArray(byte[][]::new)))
			.number(0);
		if (changed < 0) {
			throw new UnknownQueueException(
					"Nothing can be set for groups of queue '%s': it has been removed".formatted(queue.name()));
		}
		return (int) changed;
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
		GroupOverrides before = this.known.getOrDefault(queue, GroupOverrides.NONE);
		Reply reply = this.caller.run(READ, this.keys.groupChanges(queue), new byte[][] { argument(queue.name()),
				argument(Integer.toString(queue.generation())), argument(before.revision()) });
		String told = reply.text(0);
		if (told.equals("forgotten")) {
			// Until the queue is recorded again, as before
			return before;
		}
		Map<String, GroupOverride> groups = told.equals("changes") ? new HashMap<>(before.groups()) : new HashMap<>();
		String revision = "";
		for (int i = 1; i + 1 < reply.size(); i += 2) {
			String field = reply.text(i);
			String value = reply.isNull(i + 1) ? null : reply.text(i + 1);
			int end = field.indexOf(':');
			if (end >= 0) {
				groups.compute(field.substring(end + 1), (group, known) -> with(queue,
						(known != null) ? known : GroupOverride.NONE, field, field.substring(0, end), value));
			}
			else if (field.equals(REVISION) && value != null) {
				revision = value;
			}
		}
		groups.values().removeIf(GroupOverride.NONE::equals);
		GroupOverrides read = new GroupOverrides(revision, groups);
		this.known.keySet().removeIf((other) -> other.name().equals(queue.name()) && !other.equals(queue));
		if (!told.equals("lost")) {
			this.known.put(queue, read);
		}
		else if (this.known.replace(queue, before, read)) {
			lost(queue, before.groups(), groups);
		}
		this.forgotten.computeIfPresent(queue, (key, lost) -> missing(lost, groups));
		return read;
	}

	private void lost(QueueLayout queue, Map<String, GroupOverride> before, Map<String, GroupOverride> now) {
		Map<String, GroupOverride> missing = missing(before, now);
		logger.warn(
				"Redis has forgotten what was set for groups of queue '{}': {}. Look at the queue's groups on the dashboard of this node, or call LowkiqAdmin.forgottenGroups and restoreGroups on it",
				queue.name(), (missing == null) ? "nothing is missing, but what was reset may be set again"
						: LogText.of(missing.entrySet().stream().map(RedisGroupOverrides::text).sorted().toList()));
		if (missing != null) {
			this.forgotten.merge(queue, missing, (earlier, later) -> {
				Map<String, GroupOverride> both = new HashMap<>(earlier);
				both.putAll(later);
				return Map.copyOf(both);
			});
		}
	}

	/** The parts of settings that others don't have; null if there are none. */
	private static @Nullable Map<String, GroupOverride> missing(Map<String, GroupOverride> before,
			Map<String, GroupOverride> now) {
		Map<String, GroupOverride> missing = new HashMap<>();
		before.forEach((group, known) -> {
			GroupOverride set = now.getOrDefault(group, GroupOverride.NONE);
			GroupOverride without = new GroupOverride((set.pause() != null) ? null : known.pause(),
					(set.concurrency() != null) ? null : known.concurrency(),
					(set.rate() != null) ? null : known.rate(), (set.weight() != null) ? null : known.weight());
			if (!without.equals(GroupOverride.NONE)) {
				missing.put(group, without);
			}
		});
		return missing.isEmpty() ? null : Map.copyOf(missing);
	}

	Map<String, GroupOverride> forgotten(QueueLayout queue) {
		return this.forgotten.getOrDefault(queue, Map.of());
	}

	private static String text(Map.Entry<String, GroupOverride> group) {
		GroupOverride set = group.getValue();
		return group.getKey() + ((set.pause() != null) ? " paused" : "")
				+ ((set.concurrency() != null) ? " concurrency " + set.concurrency().value() : "")
				+ ((set.rate() != null) ? " rate " + set.rate().value() : "")
				+ ((set.weight() != null) ? " weight " + set.weight().value() : "");
	}

	private GroupOverride with(QueueLayout queue, GroupOverride before, String field, String part,
			@Nullable String value) {
		return switch (part) {
			case "pause" -> new GroupOverride((value != null) ? pause(value) : null, before.concurrency(),
					before.rate(), before.weight());
			case "concurrency" -> new GroupOverride(before.pause(),
					readable(queue, field, value, RedisGroupOverrides::number), before.rate(), before.weight());
			case "rate" -> new GroupOverride(before.pause(), before.concurrency(),
					readable(queue, field, value, RedisGroupOverrides::rate), before.weight());
			case "weight" -> new GroupOverride(before.pause(), before.concurrency(), before.rate(),
					readable(queue, field, value, RedisGroupOverrides::number));
			default -> {
				readable(queue, field, value, (text) -> null);
				yield before;
			}
		};
	}

	private static Change<Boolean> pause(String value) {
		Matcher matcher = VALUE.matcher(value);
		return matcher.matches() ? new Change<>(true, matcher.group(3), Long.parseLong(matcher.group(1)))
				: new Change<>(true, "", 0);
	}

	private <T> @Nullable Change<T> readable(QueueLayout queue, String field, @Nullable String value,
			Function<String, @Nullable T> parser) {
		if (value == null) {
			return null;
		}
		Matcher matcher = VALUE.matcher(value);
		T parsed = matcher.matches() ? parser.apply(matcher.group(2)) : null;
		if (parsed == null) {
			if (this.logged.add(queue.name() + " " + field + " " + value)) {
				logger.warn(
						"The setting {} of a group of queue '{}' has no effect, because its value '{}' can't be read. Set it again, or delete the field by HDEL; the key is {}",
						LogText.of(field), queue.name(), LogText.of(value), Utf8.text(this.keys.groupOverrides(queue)));
			}
			return null;
		}
		return new Change<>(parsed, matcher.group(3), Long.parseLong(matcher.group(1)));
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

}

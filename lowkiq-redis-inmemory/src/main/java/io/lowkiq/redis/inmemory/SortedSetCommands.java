package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lowkiq.redis.inmemory.Command.Access;
import io.lowkiq.redis.inmemory.Command.Keys;
import io.lowkiq.redis.inmemory.SortedSet.Limit;
import io.lowkiq.redis.inmemory.SortedSet.Scored;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

final class SortedSetCommands {

	private static final Set<String> ADD_OPTIONS = Set.of("NX", "XX", "GT", "LT", "CH", "INCR");

	private static final Set<String> RANGE_OPTIONS = Set.of("BYSCORE", "BYLEX", "REV", "LIMIT");

	private SortedSetCommands() {
	}

	static void addTo(Commands commands) {
		commands.add("zcard", 2, Keys.FIRST, Access.READS, (keyspace, a) -> (long) read(keyspace, a).size());
		commands.add("zscore", 3, Keys.FIRST, Access.READS, SortedSetCommands::zscore);
		commands.add("zcount", 4, Keys.FIRST, Access.READS, SortedSetCommands::zcount);
		commands.add("zrange", -4, Keys.FIRST, Access.READS, (keyspace, a) -> zrange(keyspace, a, false));
		commands.add("zrevrange", -4, Keys.FIRST, Access.READS, (keyspace, a) -> zrange(keyspace, a, true));
		commands.add("zrangebyscore", -4, Keys.FIRST, Access.READS, SortedSetCommands::zrangebyscore);
		commands.add("zadd", -4, Keys.FIRST, Access.WRITES_MORE, SortedSetCommands::zadd);
		commands.add("zunionstore", -4, Keys.FIRST_AND_COUNTED, Access.WRITES_MORE, SortedSetCommands::zunionstore);
		commands.add("zrem", -3, Keys.FIRST, Access.WRITES, SortedSetCommands::zrem);
		commands.add("zremrangebyrank", 4, Keys.FIRST, Access.WRITES, SortedSetCommands::zremrangebyrank);
	}

	private static SortedSet read(Keyspace keyspace, Arguments arguments) {
		SortedSet set = keyspace.find(arguments.get(1), SortedSet.class);
		return (set != null) ? set : new SortedSet();
	}

	private static @Nullable LuaString zscore(Keyspace keyspace, Arguments arguments) {
		Double score = read(keyspace, arguments).score(arguments.get(2));
		return (score != null) ? Commands.bytes(score) : null;
	}

	private static long zcount(Keyspace keyspace, Arguments arguments) {
		Limit min = arguments.limit(2);
		Limit max = arguments.limit(3);
		return read(keyspace, arguments).scores(min, max).size();
	}

	private static List<LuaString> zrange(Keyspace keyspace, Arguments arguments, boolean reverse) {
		boolean withScores = false;
		for (int i = 4; i < arguments.count(); i++) {
			if (!arguments.is(i, "WITHSCORES")) {
				throw RANGE_OPTIONS.contains(arguments.text(i)) ? RedisErrorException.unsupported("ZRANGE with options")
						: RedisErrorException.syntax();
			}
			withScores = true;
		}
		long start = arguments.integer(2);
		long stop = arguments.integer(3);
		SortedSet set = read(keyspace, arguments);
		if (reverse) {
			List<Scored> found = new ArrayList<>(ranks(set, -1 - stop, -1 - start));
			Collections.reverse(found);
			return reply(found, withScores);
		}
		return reply(ranks(set, start, stop), withScores);
	}

	/** From one rank to another, both included, from the end if negative; a view. */
	private static List<Scored> ranks(SortedSet set, long start, long stop) {
		long first = Math.max(0, (start < 0) ? start + set.size() : start);
		long last = Math.min(set.size() - 1, (stop < 0) ? stop + set.size() : stop);
		return (first <= last) ? set.ranks((int) first, (int) last + 1) : set.ranks(0, 0);
	}

	private static List<LuaString> reply(List<Scored> members, boolean withScores) {
		List<LuaString> reply = new ArrayList<>(members.size() * 2);
		for (Scored member : members) {
			reply.add(member.member());
			if (withScores) {
				reply.add(Commands.bytes(member.score()));
			}
		}
		return reply;
	}

	private static List<LuaString> zrangebyscore(Keyspace keyspace, Arguments arguments) {
		boolean withScores = false;
		long offset = 0;
		long count = -1;
		for (int i = 4; i < arguments.count(); i++) {
			if (arguments.is(i, "WITHSCORES")) {
				withScores = true;
			}
			else if (arguments.is(i, "LIMIT") && i + 2 < arguments.count()) {
				offset = arguments.integer(i + 1);
				count = arguments.integer(i + 2);
				i += 2;
			}
			else {
				throw RedisErrorException.syntax();
			}
		}
		Limit min = arguments.limit(2);
		Limit max = arguments.limit(3);
		List<Scored> found = read(keyspace, arguments).scores(min, max);
		if (offset < 0 || offset >= found.size()) {
			return List.of();
		}
		long end = (count < 0 || count > found.size() - offset) ? found.size() : offset + count;
		return reply(found.subList((int) offset, (int) end), withScores);
	}

	private static long zadd(Keyspace keyspace, Arguments arguments) {
		Set<String> options = new HashSet<>();
		int first = 2;
		while (first < arguments.count() && ADD_OPTIONS.contains(arguments.text(first).toUpperCase(Locale.ROOT))) {
			options.add(arguments.text(first++).toUpperCase(Locale.ROOT));
		}
		if (first == arguments.count() || (arguments.count() - first) % 2 != 0) {
			throw RedisErrorException.syntax();
		}
		if (options.removeAll(Set.of("XX", "CH", "INCR"))) {
			throw RedisErrorException.unsupported("ZADD with XX, CH or INCR");
		}
		if (options.size() > 1) {
			throw new RedisErrorException("ERR GT, LT, and/or NX options at the same time are not compatible");
		}
		double[] scores = new double[(arguments.count() - first) / 2];
		for (int i = 0; i < scores.length; i++) {
			scores[i] = arguments.score(first + 2 * i);
		}
		SortedSet set = keyspace.findOrCreate(arguments.get(1), SortedSet.class, SortedSet::new);
		long added = 0;
		for (int i = 0; i < scores.length; i++) {
			LuaString member = arguments.get(first + 2 * i + 1);
			Double former = set.score(member);
			added += (former == null) ? 1 : 0;
			if (former == null || options.isEmpty() || (options.contains("GT") && scores[i] > former)
					|| (options.contains("LT") && scores[i] < former)) {
				set.put(member, scores[i]);
			}
		}
		return added;
	}

	private static long zunionstore(Keyspace keyspace, Arguments arguments) {
		long count = arguments.integer(2);
		if (count < 1) {
			throw new RedisErrorException("ERR at least 1 input key is needed for 'zunionstore' command");
		}
		if (count > arguments.count() - 3) {
			throw RedisErrorException.syntax();
		}
		int end = 3 + (int) count;
		List<SortedSet> sources = new ArrayList<>();
		for (int i = 3; i < end; i++) {
			SortedSet source = keyspace.find(arguments.get(i), SortedSet.class);
			if (source != null) {
				sources.add(source);
			}
		}
		String aggregate = "SUM";
		if (arguments.count() == end + 2 && arguments.is(end, "AGGREGATE")) {
			aggregate = arguments.text(end + 1).toUpperCase(Locale.ROOT);
		}
		else if (arguments.count() > end) {
			throw arguments.is(end, "WEIGHTS") ? RedisErrorException.unsupported("ZUNIONSTORE with WEIGHTS")
					: RedisErrorException.syntax();
		}
		SortedSet union = new SortedSet();
		for (SortedSet source : sources) {
			for (Scored member : source.ranks(0, source.size())) {
				Double former = union.score(member.member());
				union.put(member.member(),
						(former != null) ? aggregate(aggregate, former, member.score()) : member.score());
			}
		}
		keyspace.put(arguments.get(1), union);
		keyspace.tidy(arguments.get(1), union);
		return union.size();
	}

	private static double aggregate(String aggregate, double one, double other) {
		return switch (aggregate) {
			case "SUM" -> Double.isNaN(one + other) ? 0 : one + other;
			case "MIN" -> (other < one) ? other : one;
			case "MAX" -> (other > one) ? other : one;
			default -> throw RedisErrorException.syntax();
		};
	}

	private static long zrem(Keyspace keyspace, Arguments arguments) {
		SortedSet set = read(keyspace, arguments);
		long removed = 0;
		for (int i = 2; i < arguments.count(); i++) {
			removed += set.remove(arguments.get(i)) ? 1 : 0;
		}
		keyspace.tidy(arguments.get(1), set);
		return removed;
	}

	private static long zremrangebyrank(Keyspace keyspace, Arguments arguments) {
		long start = arguments.integer(2);
		long stop = arguments.integer(3);
		SortedSet set = read(keyspace, arguments);
		long removed = set.removeAll(ranks(set, start, stop));
		keyspace.tidy(arguments.get(1), set);
		return removed;
	}

}

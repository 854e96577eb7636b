package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/**
 * Returns bytes, a {@link Long}, a {@link Status}, a list of these, or null. A negative
 * arity, with the name, is a minimum.
 */
record Command(String name, int arity, Keys keys, Access access, Action action) {

	enum Keys {

		NONE, FIRST, FIRST_TWO, ALL, FIRST_AND_COUNTED;

		List<LuaString> of(Arguments arguments) {
			List<LuaString> all = Arrays.asList(arguments.values());
			return switch (this) {
				case NONE -> List.of();
				case FIRST -> List.of(arguments.get(1));
				case FIRST_TWO -> all.subList(1, 3);
				case ALL -> all.subList(1, all.size());
				case FIRST_AND_COUNTED -> {
					List<LuaString> keys = new ArrayList<>(List.of(arguments.get(1)));
					long count = Math.max(0, Math.min(arguments.integer(2), all.size() - 3));
					keys.addAll(all.subList(3, 3 + (int) count));
					yield keys;
				}
			};
		}

	}

	/** When the memory is full, commands that may need more are refused. */
	enum Access {

		READS, WRITES, WRITES_MORE

	}

	@FunctionalInterface
	interface Action {

		@Nullable Object execute(Keyspace keyspace, Arguments arguments);

	}

	boolean isArity(int count) {
		return (this.arity < 0) ? count >= -this.arity : count == this.arity;
	}

}

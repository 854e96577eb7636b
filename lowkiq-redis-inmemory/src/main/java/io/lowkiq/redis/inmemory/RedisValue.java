package io.lowkiq.redis.inmemory;

import java.util.ArrayList;
import java.util.LinkedHashMap;

import org.luaj.vm2.LuaString;

sealed interface RedisValue permits RedisValue.Text, RedisValue.Hash, RedisValue.Sequence, SortedSet {

	/** Whether nothing is left of it, so that the key goes. */
	boolean isEmpty();

	RedisValue copy();

	record Text(LuaString bytes) implements RedisValue {

		@Override
		public boolean isEmpty() {
			return false;
		}

		@Override
		public RedisValue copy() {
			return this;
		}

	}

	/** A hash, in the order in which its fields were added: as a small one in Redis. */
	final class Hash extends LinkedHashMap<LuaString, LuaString> implements RedisValue {

		private static final long serialVersionUID = 1L;

		@Override
		public RedisValue copy() {
			Hash copy = new Hash();
			copy.putAll(this);
			return copy;
		}

	}

	final class Sequence extends ArrayList<LuaString> implements RedisValue {

		private static final long serialVersionUID = 1L;

		@Override
		public RedisValue copy() {
			Sequence copy = new Sequence();
			copy.addAll(this);
			return copy;
		}

	}

}

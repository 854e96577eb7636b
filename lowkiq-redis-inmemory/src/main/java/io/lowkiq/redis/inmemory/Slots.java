package io.lowkiq.redis.inmemory;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.lettuce.core.cluster.SlotHash;
import org.luaj.vm2.LuaString;

/** The slots of keys, as a cluster has them. */
final class Slots {

	private Slots() {
	}

	/** The slot of a key: that of its hash tag, if it has one. */
	static int of(LuaString key) {
		return SlotHash.getSlot(ByteBuffer.wrap(key.m_bytes, key.m_offset, key.m_length).slice());
	}

	static RedisErrorException severalSlots() {
		return new RedisErrorException("CROSSSLOT Keys in request don't hash to the same slot");
	}

	/** The slot of all the keys; -1 for no keys. */
	static int of(List<LuaString> keys) {
		int slot = -1;
		for (LuaString key : keys) {
			if (slot >= 0 && of(key) != slot) {
				throw severalSlots();
			}
			slot = of(key);
		}
		return slot;
	}

	static Set<Integer> all(List<LuaString> keys) {
		return keys.stream().map(Slots::of).collect(Collectors.toSet());
	}

}

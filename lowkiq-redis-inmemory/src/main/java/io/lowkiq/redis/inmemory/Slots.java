package io.lowkiq.redis.inmemory;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.luaj.vm2.LuaString;

/**
 * The slots of keys, as a cluster has them. All keys of a command have to be in one.
 */
final class Slots {

	private static final int COUNT = 16_384;

	private static final int[] CRC = crcTable();

	private Slots() {
	}

	/** The slot of a key: that of its hash tag, if it has one. */
	static int of(LuaString key) {
		int from = indexOf(key, '{', 0);
		int to = (from >= 0) ? indexOf(key, '}', from + 1) : -1;
		boolean tagged = to > from + 1;
		int crc = 0;
		for (int i = tagged ? from + 1 : 0; i < (tagged ? to : key.m_length); i++) {
			crc = (crc << 8) ^ CRC[((crc >>> 8) ^ key.m_bytes[key.m_offset + i]) & 0xff];
		}
		return crc & (COUNT - 1);
	}

	private static int indexOf(LuaString key, char sought, int from) {
		for (int i = from; i < key.m_length; i++) {
			if (key.m_bytes[key.m_offset + i] == sought) {
				return i;
			}
		}
		return -1;
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

	/** The slots of some keys. */
	static Set<Integer> all(List<LuaString> keys) {
		return keys.stream().map(Slots::of).collect(Collectors.toSet());
	}

	private static int[] crcTable() {
		int[] table = new int[256];
		for (int i = 0; i < table.length; i++) {
			int crc = i << 8;
			for (int bit = 0; bit < 8; bit++) {
				crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
			}
			table[i] = crc & 0xffff;
		}
		return table;
	}

}

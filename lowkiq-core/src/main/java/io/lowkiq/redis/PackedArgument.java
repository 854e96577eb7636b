package io.lowkiq.redis;

import java.nio.ByteBuffer;

/**
 * Builds one argument of a script out of many values, which the script reads by
 * {@code struct.unpack} (big-endian). One argument costs Redis less than thousands. Not
 * thread-safe.
 */
final class PackedArgument {

	private static final int FIRST_CAPACITY = 256;

	private ByteBuffer bytes = ByteBuffer.allocate(FIRST_CAPACITY);

	PackedArgument putByte(int value) {
		room(Byte.BYTES).put((byte) value);
		return this;
	}

	PackedArgument putInt(int value) {
		room(Integer.BYTES).putInt(value);
		return this;
	}

	PackedArgument putDouble(double value) {
		room(Double.BYTES).putDouble(value);
		return this;
	}

	PackedArgument putBytes(byte[] value) {
		room(Integer.BYTES + value.length).putInt(value.length).put(value);
		return this;
	}

	int size() {
		return this.bytes.position();
	}

	byte[] toBytes() {
		byte[] packed = new byte[size()];
		this.bytes.get(0, packed);
		return packed;
	}

	private ByteBuffer room(int length) {
		if (this.bytes.remaining() < length) {
			int capacity = Math.max(2 * this.bytes.capacity(), Math.addExact(size(), length));
			this.bytes = ByteBuffer.allocate(capacity).put(this.bytes.flip());
		}
		return this.bytes;
	}

}

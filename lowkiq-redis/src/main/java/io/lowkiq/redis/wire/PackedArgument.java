package io.lowkiq.redis.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Builds one argument of a script out of many values, which the script reads by
 * {@code struct.unpack} (big-endian). One argument costs Redis less than thousands. Not
 * thread-safe.
 */
public final class PackedArgument {

	private static final int FIRST_CAPACITY = 256;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private static final VarHandle DOUBLE = MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.BIG_ENDIAN);

	private byte[] bytes;

	private int size;

	public PackedArgument() {
		this(FIRST_CAPACITY);
	}

	/**
	 * An empty argument.
	 * @param capacity how many bytes it probably takes
	 */
	public PackedArgument(int capacity) {
		this.bytes = new byte[capacity];
	}

	public PackedArgument putByte(int value) {
		int at = room(Byte.BYTES);
		this.bytes[at] = (byte) value;
		return this;
	}

	public PackedArgument putInt(int value) {
		int at = room(Integer.BYTES);
		INT.set(this.bytes, at, value);
		return this;
	}

	public PackedArgument putDouble(double value) {
		int at = room(Double.BYTES);
		DOUBLE.set(this.bytes, at, value);
		return this;
	}

	public PackedArgument putBytes(byte[] value) {
		putInt(value.length);
		return putRaw(value);
	}

	/** Bytes without their number. */
	public PackedArgument putRaw(byte[] value) {
		int at = room(value.length);
		System.arraycopy(value, 0, this.bytes, at, value.length);
		return this;
	}

	public int size() {
		return this.size;
	}

	public byte[] toBytes() {
		return (this.size == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.size);
	}

	/** Makes room, and returns where it begins. */
	private int room(int length) {
		int begin = this.size;
		this.size = Math.addExact(begin, length);
		if (this.size > this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes, Math.max(2 * this.bytes.length, this.size));
		}
		return begin;
	}

}

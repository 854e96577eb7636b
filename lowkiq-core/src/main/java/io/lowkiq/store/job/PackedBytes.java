package io.lowkiq.store.job;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Builds bytes out of many values, big-endian, as scripts read them. Not thread-safe. */
public final class PackedBytes {

	private static final int FIRST_CAPACITY = 256;

	private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

	private static final VarHandle DOUBLE = MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.BIG_ENDIAN);

	private byte[] bytes;

	private int size;

	public PackedBytes() {
		this(FIRST_CAPACITY);
	}

	public PackedBytes(int capacity) {
		this.bytes = new byte[capacity];
	}

	public PackedBytes putByte(int value) {
		int at = room(Byte.BYTES);
		this.bytes[at] = (byte) value;
		return this;
	}

	public PackedBytes putInt(int value) {
		int at = room(Integer.BYTES);
		INT.set(this.bytes, at, value);
		return this;
	}

	public PackedBytes putDouble(double value) {
		int at = room(Double.BYTES);
		DOUBLE.set(this.bytes, at, value);
		return this;
	}

	/** Appends bytes after their number, as an int. */
	public PackedBytes putBytes(byte[] value) {
		putInt(value.length);
		return putRaw(value);
	}

	/** Appends bytes without their number. */
	public PackedBytes putRaw(byte[] value) {
		int at = room(value.length);
		System.arraycopy(value, 0, this.bytes, at, value.length);
		return this;
	}

	/** How many bytes there are. */
	public int size() {
		return this.size;
	}

	public byte[] toBytes() {
		return (this.size == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.size);
	}

	/** Reads what {@link #putBytes} wrote, and throws if bytes are missing. */
	public static byte[] read(ByteBuffer source) {
		int length = source.getInt();
		if (length < 0 || length > source.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] value = new byte[length];
		source.get(value);
		return value;
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

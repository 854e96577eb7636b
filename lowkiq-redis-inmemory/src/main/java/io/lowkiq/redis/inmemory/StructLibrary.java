package io.lowkiq.redis.inmemory;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The {@code struct} library of Redis: packs values in strings. Native order is
 * little-endian, without alignment.
 */
final class StructLibrary {

	private StructLibrary() {
	}

	/**
	 * Goes over a format.
	 */
	private static final class Format {

		private final LuaString text;

		private int position;

		private boolean bigEndian;

		Format(LuaString text) {
			this.text = text;
		}

		/** The next option that stands for a value; 0 at the end. */
		char next() {
			while (this.position < this.text.length()) {
				char option = (char) this.text.luaByte(this.position++);
				switch (option) {
					case '>' -> this.bigEndian = true;
					case '<', '=' -> this.bigEndian = false;
					case ' ' -> {
					}
					default -> {
						return option;
					}
				}
			}
			return 0;
		}

		/** The number after an option. */
		int number(int otherwise) {
			int number = -1;
			while (this.position < this.text.length() && Character.isDigit(this.text.luaByte(this.position))) {
				number = Math.max(number, 0) * 10 + this.text.luaByte(this.position++) - '0';
			}
			return (number < 0) ? otherwise : number;
		}

		int bytes(char option) {
			int bytes = switch (option) {
				case 'b', 'B' -> 1;
				case 'h', 'H' -> 2;
				case 'l', 'L', 'T', 'd' -> 8;
				case 'f' -> 4;
				case 'i', 'I' -> number(4);
				default -> throw new LuaError("invalid format option '" + option + "'");
			};
			if (bytes < 1 || bytes > 8) {
				throw new LuaError("integral size " + bytes + " is larger than limit of 8");
			}
			return bytes;
		}

	}

	static Varargs pack(Varargs arguments) {
		Format format = new Format(arguments.checkstring(1));
		ByteArrayOutputStream packed = new ByteArrayOutputStream(64);
		int argument = 2;
		for (char option = format.next(); option != 0; option = format.next()) {
			switch (option) {
				case 'c', 's' -> {
					LuaString text = arguments.checkstring(argument++);
					int size = (option == 'c') ? format.number(1) : 0;
					if (text.length() < size) {
						throw new LuaError("bad argument #" + (argument - 1) + " to 'pack' (string too short)");
					}
					packed.write(text.m_bytes, text.m_offset, (size > 0) ? size : text.m_length);
					if (option == 's') {
						packed.write(0);
					}
				}
				case 'x' -> packed.write(0);
				case 'd' ->
					writeInteger(packed, format, 8, Double.doubleToRawLongBits(arguments.checkdouble(argument++)));
				case 'f' ->
					writeInteger(packed, format, 4, Float.floatToRawIntBits((float) arguments.checkdouble(argument++)));
				default ->
					writeInteger(packed, format, format.bytes(option), toLong(arguments.checkdouble(argument++)));
			}
		}
		return LuaString.valueUsing(packed.toByteArray());
	}

	/** As C casts to an unsigned integer. */
	private static long toLong(double number) {
		return (number >= 0x1p63) ? (long) (number - 0x1p63) + Long.MIN_VALUE : (long) number;
	}

	private static void writeInteger(ByteArrayOutputStream packed, Format format, int bytes, long value) {
		for (int i = 0; i < bytes; i++) {
			packed.write((int) (value >>> (8 * (format.bigEndian ? bytes - 1 - i : i))));
		}
	}

	static Varargs unpack(Varargs arguments) {
		Format format = new Format(arguments.checkstring(1));
		LuaString data = arguments.checkstring(2);
		int position = arguments.optint(3, 1) - 1;
		if (position < 0) {
			throw new LuaError("bad argument #3 to 'unpack' (offset must be 1 or greater)");
		}
		List<LuaValue> values = new ArrayList<>();
		for (char option = format.next(); option != 0; option = format.next()) {
			int size = switch (option) {
				case 'x' -> 1;
				case 'c' -> sizeOfText(format.number(1), values);
				case 's' -> indexOfZero(data, position) - position;
				default -> format.bytes(option);
			};
			if (size > data.length() - position) {
				throw new LuaError("bad argument #2 to 'unpack' (data string too short)");
			}
			switch (option) {
				case 'x' -> {
				}
				case 'c', 's' -> values.add(data.substring(position, position + size));
				default -> values.add(LuaValue.valueOf(readNumber(format, option, data, position, size)));
			}
			position += (option == 's') ? size + 1 : size;
		}
		values.add(LuaValue.valueOf(position + 1));
		return LuaValue.varargsOf(values.toArray(LuaValue[]::new));
	}

	/** The size 0 stands for the number before, which is taken out. */
	private static int sizeOfText(int size, List<LuaValue> values) {
		if (size != 0) {
			return size;
		}
		LuaValue former = values.isEmpty() ? LuaValue.NIL : values.remove(values.size() - 1);
		if (former.type() != LuaValue.TNUMBER) {
			throw new LuaError("format `c0' needs a previous size");
		}
		return (former.todouble() >= 0) ? (int) former.todouble() : Integer.MAX_VALUE;
	}

	private static int indexOfZero(LuaString data, int from) {
		for (int i = from; i < data.length(); i++) {
			if (data.luaByte(i) == 0) {
				return i;
			}
		}
		throw new LuaError("unfinished string in data");
	}

	private static double readNumber(Format format, char option, LuaString data, int position, int size) {
		ByteBuffer bytes = ByteBuffer.wrap(data.m_bytes, data.m_offset + position, size)
			.order(format.bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
		if (option == 'd') {
			return bytes.getDouble();
		}
		if (option == 'f') {
			return bytes.getFloat();
		}
		long value = 0;
		for (int i = 0; i < size; i++) {
			value = (value << 8) | data.luaByte(position + (format.bigEndian ? i : size - 1 - i));
		}
		boolean signed = Character.isLowerCase(option);
		int unused = Long.SIZE - 8 * size;
		return signed ? (value << unused) >> unused : (value >= 0) ? value : value + 0x1p64;
	}

}

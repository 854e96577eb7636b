package io.lowkiq.redis.inmemory;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * The {@code struct} library of Redis as far as scripts need it: big-endian integers (B,
 * b, I and i with their bytes), doubles (d), and text (c with its length; with 0, the
 * number before it is the length, or all of it is packed).
 */
final class StructLibrary {

	private StructLibrary() {
	}

	/** Goes over a format. */
	private static final class Format {

		private final String text;

		private int position = 1;

		char option;

		/** How many bytes the option stands for. */
		int size;

		Format(LuaString text) {
			this.text = Numbers.text(text);
			if (!this.text.startsWith(">")) {
				throw new LuaError("only big-endian formats are supported, not '" + this.text + "'");
			}
		}

		boolean next() {
			if (this.position == this.text.length()) {
				return false;
			}
			this.option = this.text.charAt(this.position++);
			int digits = this.position;
			while (this.position < this.text.length() && Character.isDigit(this.text.charAt(this.position))) {
				this.position++;
			}
			boolean sized = this.position > digits;
			this.size = switch (this.option) {
				case 'B', 'b' -> 1;
				case 'I', 'i' -> sized ? Integer.parseInt(this.text.substring(digits, this.position)) : 4;
				case 'd' -> 8;
				case 'c' -> sized ? Integer.parseInt(this.text.substring(digits, this.position)) : 1;
				default -> throw new LuaError("invalid format option '" + this.option + "'");
			};
			return true;
		}

	}

	static Varargs pack(Varargs arguments) {
		Format format = new Format(arguments.checkstring(1));
		ByteArrayOutputStream packed = new ByteArrayOutputStream(64);
		for (int i = 2; format.next(); i++) {
			if (format.option == 'c') {
				LuaString text = arguments.checkstring(i);
				if (text.length() < format.size) {
					throw new LuaError("bad argument #" + i + " to 'pack' (string too short)");
				}
				packed.write(text.m_bytes, text.m_offset, (format.size > 0) ? format.size : text.m_length);
				continue;
			}
			double number = arguments.checkdouble(i);
			long bits = (format.option == 'd') ? Double.doubleToRawLongBits(number) : (long) number;
			for (int shift = 8 * (format.size - 1); shift >= 0; shift -= 8) {
				packed.write((int) (bits >>> shift));
			}
		}
		return LuaString.valueUsing(packed.toByteArray());
	}

	static Varargs unpack(Varargs arguments) {
		Format format = new Format(arguments.checkstring(1));
		LuaString data = arguments.checkstring(2);
		int position = arguments.optint(3, 1) - 1;
		List<LuaValue> values = new ArrayList<>();
		while (format.next()) {
			boolean isText = format.option == 'c';
			double size = (isText && format.size == 0) ? takeSize(values) : format.size;
			if (position < 0 || size < 0 || size > data.length() - position) {
				throw new LuaError("bad argument #2 to 'unpack' (data string too short)");
			}
			int end = position + (int) size;
			values.add(isText ? data.substring(position, end)
					: LuaValue.valueOf(number(format.option, data, position, end)));
			position = end;
		}
		values.add(LuaValue.valueOf(position + 1));
		return LuaValue.varargsOf(values.toArray(LuaValue[]::new));
	}

	private static double takeSize(List<LuaValue> values) {
		if (values.isEmpty() || values.get(values.size() - 1).type() != LuaValue.TNUMBER) {
			throw new LuaError("format `c0' needs a previous size");
		}
		return values.remove(values.size() - 1).todouble();
	}

	private static double number(char option, LuaString data, int from, int to) {
		long bits = (Character.isLowerCase(option) && data.luaByte(from) >= 0x80) ? -1 : 0;
		for (int i = from; i < to; i++) {
			bits = (bits << 8) | data.luaByte(i);
		}
		return (option == 'd') ? Double.longBitsToDouble(bits) : bits;
	}

}

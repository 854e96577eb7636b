package io.lowkiq.redis.inmemory;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import org.luaj.vm2.Globals;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaDouble;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaFunction;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.DebugLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;
import org.luaj.vm2.lib.jse.JseMathLib;

/**
 * The global variables of scripts, as Redis gives them: Lua 5.1 without what reaches
 * outside. What LuaJ does otherwise is replaced: numbers as text, text as numbers, and
 * some of {@code math}.
 */
final class LuaLibraries {

	private static final List<String> BASE = List.of("ipairs", "next", "pairs", "rawequal", "rawget", "select",
			"setmetatable", "getmetatable", "type");

	private static final List<String> MATH = List.of("abs", "ceil", "floor", "fmod", "huge", "max", "min", "modf", "pi",
			"pow", "sqrt");

	private static final List<String> STRING = List.of("byte", "char", "find", "gmatch", "gsub", "len", "lower",
			"match", "rep", "reverse", "sub", "upper");

	/** How many values the stack of Redis' Lua has room for. */
	private static final int MAX_VALUES = 8_000;

	private LuaLibraries() {
	}

	private static final class Native extends VarArgFunction {

		private final Function<Varargs, Varargs> body;

		Native(Function<Varargs, Varargs> body) {
			this.body = body;
		}

		@Override
		public Varargs invoke(Varargs arguments) {
			return this.body.apply(arguments);
		}

	}

	/** A table that scripts can only read, and only what is there. */
	static final class Sandbox extends Globals {

		@Override
		public LuaValue get(LuaValue name) {
			LuaValue value = rawget(name);
			if (value.isnil()) {
				throw new LuaError("Script attempted to access nonexistent global variable '" + name.tojstring() + "'");
			}
			return value;
		}

		@Override
		public void set(LuaValue name, LuaValue value) {
			throw new LuaError("Attempt to modify a readonly table");
		}

		Sandbox define(String name, Function<Varargs, Varargs> body) {
			rawset(name, new Native(body));
			return this;
		}

		Sandbox copy(LuaValue from, List<String> names) {
			names.forEach((name) -> rawset(name, from.get(name)));
			return this;
		}

	}

	static Sandbox create(Function<Varargs, Varargs> call, Function<Varargs, Varargs> pcall) {
		Globals all = new Globals();
		all.load(new BaseLib());
		all.load(new PackageLib());
		all.load(new TableLib());
		all.load(new StringLib());
		all.load(new JseMathLib());
		Sandbox sandbox = new Sandbox().copy(all, BASE);
		sandbox.define("unpack", LuaLibraries::unpack);
		sandbox.define("tonumber", LuaLibraries::tonumber);
		sandbox.define("tostring", (arguments) -> text(arguments.checkvalue(1)));
		sandbox.define("assert", LuaLibraries::checkTrue);
		sandbox.define("error", LuaLibraries::error);
		sandbox.define("pcall", LuaLibraries::pcall);
		sandbox.rawset("string", new Sandbox().copy(all.get("string"), STRING).define("format", LuaLibraries::format));
		sandbox.rawset("table", new Sandbox().copy(all.get("table"), List.of("insert", "remove", "sort"))
			.define("concat", LuaLibraries::concat));
		sandbox.rawset("math", new Sandbox().copy(all.get("math"), MATH)
			.define("frexp", LuaLibraries::frexp)
			.define("ldexp",
					(arguments) -> LuaValue.valueOf(Math.scalb(arguments.checkdouble(1), arguments.checkint(2)))));
		sandbox.rawset("struct",
				new Sandbox().define("pack", StructLibrary::pack).define("unpack", StructLibrary::unpack));
		sandbox.rawset("redis", new Sandbox().define("call", call).define("pcall", pcall));
		sandbox.debuglib = new ConcatenatedNumbers();
		return sandbox;
	}

	/** As Lua 5.1 writes a value. */
	static LuaValue text(LuaValue value) {
		if (value instanceof LuaDouble number) {
			return Commands.bytes(Numbers.general(number.todouble(), Numbers.LUA_DIGITS));
		}
		return value.isstring() ? value.tostring() : LuaValue.valueOf(value.tojstring());
	}

	private static Varargs unpack(Varargs arguments) {
		LuaTable table = arguments.checktable(1);
		int first = arguments.optint(2, 1);
		int count = Math.max(0, arguments.optint(3, table.length()) - first + 1);
		if (count + arguments.narg() > MAX_VALUES) {
			throw new LuaError("too many results to unpack");
		}
		LuaValue[] values = new LuaValue[count];
		Arrays.setAll(values, (i) -> table.get(first + i));
		return LuaValue.varargsOf(values);
	}

	private static Varargs tonumber(Varargs arguments) {
		LuaValue value = arguments.checkvalue(1);
		if (arguments.narg() > 1) {
			throw RedisErrorException.unsupported("tonumber with a base");
		}
		if (value.type() != LuaValue.TSTRING) {
			return (value.type() == LuaValue.TNUMBER) ? value : LuaValue.NIL;
		}
		double number = Numbers.parse(Numbers.text(value.checkstring()).strip());
		return Double.isNaN(number) ? LuaValue.NIL : LuaValue.valueOf(number);
	}

	private static Varargs checkTrue(Varargs arguments) {
		if (arguments.checkvalue(1).toboolean()) {
			return arguments;
		}
		throw new ScriptError((arguments.narg() > 1) ? arguments.arg(2) : LuaValue.valueOf("assertion failed!"));
	}

	/** An error that is text is preceded by its position, as those of LuaJ are. */
	private static Varargs error(Varargs arguments) {
		LuaValue error = arguments.arg1();
		throw (error.isstring() && arguments.optint(2, 1) > 0) ? new LuaError(text(error).tojstring())
				: new ScriptError(error);
	}

	private static Varargs pcall(Varargs arguments) {
		try {
			return LuaValue.varargsOf(LuaValue.TRUE, arguments.checkvalue(1).invoke(arguments.subargs(2)));
		}
		catch (LuaError ex) {
			return LuaValue.varargsOf(LuaValue.FALSE, ScriptError.value(ex));
		}
	}

	private static Varargs concat(Varargs arguments) {
		LuaTable table = arguments.checktable(1);
		LuaString separator = arguments.optstring(2, LuaValue.EMPTYSTRING);
		int last = arguments.optint(4, table.length());
		ByteArrayOutputStream joined = new ByteArrayOutputStream();
		for (int i = arguments.optint(3, 1); i <= last; i++) {
			LuaString element = text(table.get(i)).checkstring();
			if (!table.get(i).isstring()) {
				throw new LuaError(
						"invalid value (" + table.get(i).typename() + ") at index " + i + " in table for 'concat'");
			}
			joined.write(element.m_bytes, element.m_offset, element.m_length);
			if (i < last) {
				joined.write(separator.m_bytes, separator.m_offset, separator.m_length);
			}
		}
		return LuaString.valueUsing(joined.toByteArray());
	}

	private static Varargs frexp(Varargs arguments) {
		double number = arguments.checkdouble(1);
		if (number == 0 || Double.isNaN(number) || Double.isInfinite(number)) {
			return LuaValue.varargsOf(LuaValue.valueOf(number), LuaValue.ZERO);
		}
		// One that is too small for an exponent of its own is made larger
		int more = (Math.abs(number) < Double.MIN_NORMAL) ? 64 : 0;
		double larger = Math.scalb(number, more);
		int exponent = Math.getExponent(larger) + 1;
		return LuaValue.varargsOf(LuaValue.valueOf(Math.scalb(larger, -exponent)), LuaValue.valueOf(exponent - more));
	}

	/** The conversions d, i, s, c, x, X, f and g, without width. */
	private static Varargs format(Varargs arguments) {
		String format = Numbers.text(arguments.checkstring(1));
		ByteArrayOutputStream formatted = new ByteArrayOutputStream();
		int argument = 2;
		for (int i = 0; i < format.length(); i++) {
			if (format.charAt(i) != '%' || format.startsWith("%%", i)) {
				i += (format.charAt(i) == '%') ? 1 : 0;
				formatted.write(format.charAt(i));
				continue;
			}
			int end = i + 1;
			while (end < format.length() && (format.charAt(end) == '.' || Character.isDigit(format.charAt(end)))) {
				end++;
			}
			String precision = format.substring(i + 1, end);
			if (!precision.matches("(\\.\\d{1,2})?") || end == format.length()) {
				throw RedisErrorException.unsupported("the format '" + format + "'");
			}
			int digits = precision.isEmpty() ? 6 : Integer.parseInt(precision.substring(1));
			formatted.writeBytes(switch (format.charAt(end)) {
				case 'd', 'i' -> bytes(Long.toString((long) arguments.checkdouble(argument)));
				case 'x' -> bytes(Long.toHexString((long) arguments.checkdouble(argument)));
				case 'f' -> bytes(Numbers.fixed(arguments.checkdouble(argument), digits));
				case 'g' -> bytes(Numbers.general(arguments.checkdouble(argument), Math.max(1, digits)));
				case 's' -> bytes(Numbers.text(text(arguments.checkvalue(argument)).strvalue()));
				default -> throw RedisErrorException.unsupported("the format '" + format + "'");
			});
			argument++;
			i = end;
		}
		return LuaString.valueUsing(formatted.toByteArray());
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/** Joins numbers to text in full, where LuaJ would write only 7 digits. */
	private static final class ConcatenatedNumbers extends DebugLib {

		private final List<LuaClosure> functions = new ArrayList<>();

		private final List<LuaValue[]> stacks = new ArrayList<>();

		private int[] code = {};

		@Override
		public void onCall(LuaFunction function) {
			throw new UnsupportedOperationException("Only closures are expected");
		}

		@Override
		public void onCall(LuaClosure function, Varargs arguments, LuaValue[] stack) {
			this.functions.add(function);
			this.stacks.add(stack);
			this.code = function.p.code;
		}

		@Override
		public void onInstruction(int place, Varargs arguments, int top) {
			int instruction = this.code[place];
			if ((instruction & 0x3f) == Lua.OP_CONCAT) {
				LuaValue[] stack = this.stacks.get(this.stacks.size() - 1);
				for (int i = Lua.GETARG_B(instruction); i <= Lua.GETARG_C(instruction); i++) {
					if (stack[i] instanceof LuaDouble) {
						stack[i] = text(stack[i]);
					}
				}
			}
		}

		@Override
		public void onReturn() {
			this.functions.remove(this.functions.size() - 1);
			this.stacks.remove(this.stacks.size() - 1);
			this.code = this.functions.isEmpty() ? this.code : this.functions.get(this.functions.size() - 1).p.code;
		}

		@Override
		public String traceback(int level) {
			return "";
		}

	}

}

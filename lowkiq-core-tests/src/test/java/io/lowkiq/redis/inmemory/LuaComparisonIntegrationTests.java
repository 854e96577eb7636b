package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs small scripts on a real Redis and on this one, and compares what they return: what
 * LuaJ does otherwise than the Lua of Redis, and what Redis adds to it.
 */
class LuaComparisonIntegrationTests {

	private static final List<String> NUMBERS = List.of("0", "1", "-1", "2", "0.5", "-0.5", "0.1", "1e15", "1e14",
			"123456789012345", "99999999999999", "1e16", "9007199254740993", "1e17", "1e18", "1e300", "1e-5", "1e-4",
			"2147483647", "2147483648", "-2147483649", "1700000000000.123", "1758000000000123", "inf", "-inf", "5e-324",
			"2.2250738585072014e-308", "0x1F", " 7 ", "1e1", ".5", "3.", "4294967296", "0.30000000000000004", "255",
			"256", "1e-310");

	private final RealRedis real = new RealRedis(TestRedis.shared().url());

	private final InMemoryRedis memory = new InMemoryRedis(InstantSource.system());

	private final String tag = TestRedis.uniquePrefix();

	@AfterEach
	void close() {
		this.real.call(bytes("DEL"), bytes(key()));
		this.real.close();
	}

	private String key() {
		return "{" + this.tag + "}key";
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	private void compare(String script, String... arguments) {
		byte[][] given = Stream.of(arguments).map(LuaComparisonIntegrationTests::bytes).toArray(byte[][]::new);
		byte[][] command = Stream
			.concat(Stream.of("EVAL", script, "1", key()).map(LuaComparisonIntegrationTests::bytes), Stream.of(given))
			.toArray(byte[][]::new);
		String expected = Replies.describe(this.real.call(command));
		@Nullable Object actual = Replies.of(this.memory.eval(bytes(script), new byte[][] { bytes(key()) }, given));
		assertThat(Replies.describe(actual)).as("%s with %s", script, List.of(arguments)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "return tostring(tonumber(ARGV[1]))", "return tonumber(ARGV[1]) .. ''",
			"return 'a' .. tonumber(ARGV[1]) .. 'b' .. tonumber(ARGV[1]) / 3",
			"return table.concat({ tonumber(ARGV[1]), 'x', 0.1 }, '-')",
			"return string.format('%.17g', tonumber(ARGV[1]))", "return string.format('%.14g', tonumber(ARGV[1]))",
			"return string.format('%g', tonumber(ARGV[1]))", "return string.format('%s', tonumber(ARGV[1]))",
			"return string.format('%.0f', tonumber(ARGV[1]))", "return string.format('%.3f', tonumber(ARGV[1]))",
			"local n = tonumber(ARGV[1]) return math.abs(n) < 2 ^ 53 and string.format('%d', n) or 'large'",
			"local n = tonumber(ARGV[1]) return math.abs(n) < 2 ^ 53 and n or 'large'",
			"return tostring(math.floor(tonumber(ARGV[1])))", "return tostring(math.ceil(tonumber(ARGV[1])) + 0)",
			"local m, e = math.frexp(tonumber(ARGV[1])) return { tostring(m), string.format('%.17g', m), e }",
			"return string.format('%.17g', math.ldexp(tonumber(ARGV[1]), -3))",
			"return tostring(tonumber(ARGV[1]) == math.huge)", "return tostring(tonumber(ARGV[1]) > 2 ^ 31)",
			"return tostring(ARGV[1] + 1)",
			"redis.call('SET', KEYS[1], tonumber(ARGV[1])) return redis.call('GET', KEYS[1])",
			"return { string.byte(struct.pack('>d', tonumber(ARGV[1])), 1, -1) }",
			"return tostring((struct.unpack('>d', struct.pack('>d', tonumber(ARGV[1])))))",
			"return tostring(tonumber(ARGV[1]) * 1000 + 123456 / 1000)" })
	void numbersAreThoseOfRedis(String script) {
		for (String number : NUMBERS) {
			if (!script.contains("ARGV[1] + 1") || number.matches("[0-9]+")) {
				compare(script, number);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "+", "-", "*", "/", "%", "^" })
	void arithmeticIsThatOfRedis(String operator) {
		for (String one : NUMBERS) {
			for (String other : NUMBERS) {
				String script = """
						local n = tonumber(ARGV[1]) %s tonumber(ARGV[2])
						return n == n and n ~= 0 and string.format('%%.17g', n) or tostring(n == n)
						""".formatted(operator);
				// In Java, 1 to an infinite power is no number
				if (!operator.equals("^") || !other.contains("inf")) {
					compare(script, one, other);
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "<", "<=", "==", "~=" })
	void comparisonIsThatOfRedis(String operator) {
		for (String one : NUMBERS) {
			for (String other : NUMBERS) {
				compare("return tostring(tonumber(ARGV[1]) %s tonumber(ARGV[2]))".formatted(operator), one, other);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "", " ", "1x", "0x", "1e", "--1", "1 2", "1_0", "1d", "1f", "0x1p3x", "infx", "in",
			"1e+", "+", "." })
	void textThatIsNoNumber(String text) {
		compare("return type(tonumber(ARGV[1]))", text);
	}

	@Test
	void numbersAreReadAndWrittenAtRandom() {
		SplittableRandom random = new SplittableRandom(CommandComparisonIntegrationTests.seed());
		for (int i = 0; i < 3_000; i++) {
			double number = switch (random.nextInt(4)) {
				case 0 -> Double.longBitsToDouble(random.nextLong());
				case 1 -> random.nextLong(-1L << 53, 1L << 53) / 1000.0;
				case 2 -> random.nextInt(-1_000_000, 1_000_000) * Math.pow(10, random.nextInt(-20, 20));
				default -> random.nextLong(-1L << 54, 1L << 54);
			};
			if (Double.isFinite(number)) {
				compare("""
						local n = tonumber(ARGV[1])
						local m, e = math.frexp(n)
						return { tostring(n), n .. '', string.format('%.17g %.14g %.0f %.2f', n, n, n, n),
							string.format('%.17g', math.ldexp(m, e)), redis.call('ZADD', KEYS[1], n, 'm'),
							redis.call('ZSCORE', KEYS[1], 'm') }
						""", Double.toString(number));
			}
		}
	}

	@Test
	void structsArePackedAtRandom() {
		SplittableRandom random = new SplittableRandom(CommandComparisonIntegrationTests.seed());
		List<String> options = List.of("B", "b", "I4", "i4", "I2", "i2", "I", "i", "d", "I3", "i7");
		for (int i = 0; i < 2_000; i++) {
			StringBuilder format = new StringBuilder(">");
			StringBuilder values = new StringBuilder();
			for (int j = random.nextInt(5); j >= 0; j--) {
				String option = options.get(random.nextInt(options.size()));
				format.append(option);
				values.append(", ").append(random.nextBoolean() ? random.nextInt(256) : random.nextInt());
			}
			compare("""
					local packed = struct.pack(ARGV[1]%s)
					local all = { struct.unpack(ARGV[1], packed .. 'rest') }
					for i, value in ipairs(all) do all[i] = tostring(value) end
					return { packed, all, tostring(pcall(struct.unpack, ARGV[1], string.sub(packed, 1, -2))) }
					""".formatted(values), format.toString());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "return { struct.unpack('>I4c0', struct.pack('>I4', 3) .. 'abcd') }",
			"return { struct.unpack('>I4c0I4c0', struct.pack('>I4', 3) .. 'abc' .. struct.pack('>I4', 0)) }",
			"return { struct.unpack('>Bc3', struct.pack('>B', 3) .. 'abcd') }",
			"return { struct.unpack('>d', string.rep('x', 20), 3) }", "return struct.pack('>Bddc0', 1, 2, 3.5, 'abc')",
			"return struct.pack('>c2', 'abc')", "return { struct.unpack('>i4I4', struct.pack('>i4I4', -1, -1)) }",
			"return tostring(pcall(struct.unpack, '>I4c0', struct.pack('>I4', 9) .. 'abcd'))",
			"return tostring(pcall(struct.unpack, '>I4', 'abc'))", "return tostring(pcall(struct.pack, '>c5', 'abc'))",
			"return tostring(pcall(struct.unpack, '>d', 'abcdefgh', 2))" })
	void structsWithText(String script) {
		compare(script);
	}

	@ParameterizedTest
	@ValueSource(strings = { "return 3.99", "return -3.99", "return true", "return false", "return nil", "return",
			"return { 1, 2.9, false, 3 }", "return { 1, nil, 3 }", "return {}", "return { {}, { 'a', { 'b' } } }",
			"return { ok = 'fine' }", "return { err = 'My error' }", "return { a = 1 }", "return 'bytes\\0\\255'",
			"return redis.call('SET', KEYS[1], 'a')", "return redis.call('GET', KEYS[1])",
			"return redis.call('HMGET', KEYS[1], 'a', 'b')", "return type(redis.call('GET', KEYS[1]))",
			"return redis.call('SET', KEYS[1], 'a').ok", "return { redis.call('HGET', KEYS[1], 'a') }",
			"return #redis.call('HMGET', KEYS[1], 'a', 'b')", "return function() end",
			"redis.call('RPUSH', KEYS[1], 1, 2.5, 1e15, -0.1) return redis.call('LRANGE', KEYS[1], 0, -1)",
			"return { redis.call('RPUSH', KEYS[1], 'x'), redis.call('LLEN', KEYS[1]) + 0.5 }", "return 1e15",
			"return 9007199254740992", "return { true, 'x' }" })
	void repliesAreConverted(String script) {
		compare(script);
	}

	@ParameterizedTest
	@ValueSource(strings = { "return string.sub('hello', 2, 3) .. string.sub('hello', -2) .. string.sub('hello', 0)",
			"return { string.byte('hello') }", "return { string.byte('hello', 9) }", "return string.char(65, 255, 0)",
			"return { string.byte('h\\200', 1, -1) }", "return { string.find('a.b', '.', 1, true) }",
			"return { string.find('hello', 'l') }", "return { string.find('hello', 'l', 4, true) }",
			"return { string.find('hello', 'x', 1, true) == nil and 1 or 0 }",
			"local t = { 'c', 'a', 'b' } table.sort(t, function(a, b) return a < b end) return t",
			"local t = { 'c', 'a', 'b' } table.remove(t, 2) return t", "local t = { 'c' } t[#t] = nil return #t",
			"return table.concat({ 'a', 'b', 'c' }, '', 2)", "return table.concat({}, 'x')",
			"return table.concat({ 'a', 'b', 'c' }, ',', 1, 2)", "return { math.max(1, 3, 2), math.min(3, 1, 2) }",
			"return tostring(math.huge) .. tostring(-math.huge)", "return { unpack({ 1, 2, 3 }, 2) }",
			"return { unpack({ 1, 2, 3 }, 2, 3) }", "return { unpack({ 1, false, 3 }) }",
			"return { select('#', 1, nil, 3) }", "return tostring(nil) .. tostring(true)", "return #'abc\\0d'",
			"return select(2, pcall(function() error({ 'x' }) end))", "local ok, e = pcall(error, 'x', 0) return e",
			"local ok, e = pcall(assert, false, 'message') return e", "local ok, e = pcall(assert, nil) return e",
			"local ok, e = pcall(function() error('at') end) return e", "return tostring(1 == '1')",
			"return tostring(0 % 5) .. tostring(-1 % 5) .. tostring(5.5 % 2)", "return { 10 / 2, '10' + 1, 7 % 4 }",
			"return { tonumber('10') == 10 and 1 or 0, tonumber(false or nil) == nil and 1 or 0 }",
			"return 'a' < 'b' and 'a' < 'aa' and 'Z' < 'a' and 1 or 0", "return string.format('%d:%s%%', 3, 'x')",
			"local function f(...) return select('#', ...) end return f(unpack({ 1, 2 }))",
			"return string.rep('ab', 3) .. string.upper('x') .. string.len('abc') .. string.reverse('abc')",
			"local t = {} for k, v in pairs({ a = 1 }) do t[#t + 1] = k .. v end return t",
			"local t = setmetatable({}, { __index = function(t, k) return k end }) return t.x",
			"return type(redis.pcall('HGET', KEYS[1])) .. type(redis.pcall('HGET', KEYS[1]).err)",
			"return tostring(2 ^ 53) .. ' ' .. 2 ^ 31 .. ' ' .. 10 / 4 .. ' ' .. 100 * 1e14" })
	void languageAndLibraries(String script) {
		compare(script);
	}

	@ParameterizedTest
	@ValueSource(strings = { "assert(#ARGV == 1, 'one argument expected')", "\n\nassert(false, 'on line 3')",
			"local function f()\n error('in a function')\nend\nf()",
			"redis.call('SET', KEYS[1], 'x')\nreturn redis.call('HGET', KEYS[1], 'x')",
			"redis.call('SET', KEYS[1], 'x')\nlocal e = redis.pcall('HGET', KEYS[1], 'x')\nreturn 'went on'" })
	void errorsNameTheLine(String script) {
		compare(script);
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis.call('HGET', KEYS[1])", "redis.call('NOTHING')", "redis.call()",
			"redis.call('GET', {})", "x = 1", "return x", "local t = nil return t.x", "return 1 + {}", "return #nil",
			"return nil .. 'x'", "return {} < {}", "error()" })
	void errorsInAnyWords(String script) {
		byte[][] command = Stream.of("EVAL", script, "1", key())
			.map(LuaComparisonIntegrationTests::bytes)
			.toArray(byte[][]::new);
		assertThat(this.real.call(command)).as(script).isInstanceOf(RedisErrorException.class);
		assertThat(Replies.of(this.memory.eval(bytes(script), new byte[][] { bytes(key()) }))).as(script)
			.isInstanceOfSatisfying(RedisErrorException.class,
					(ex) -> assertThat(ex.getMessage()).matches("(?s).* script: [0-9a-f]{40}, on @user_script:1\\."));
	}

	@Test
	void scriptThatDoesNotCompile() {
		assertThat(Replies.of(this.memory.eval(bytes("return ("), new byte[][] {}))).asString()
			.contains("ERR Error compiling script (new function): ")
			.contains("user_script:1:");
	}

	@Test
	void longListsOfArgumentsAreUnpacked() {
		compare("""
				local all = {}
				for i = 1, 1990 do all[2 * i - 1], all[2 * i] = i, 'm' .. i end
				return { redis.call('ZADD', KEYS[1], unpack(all)), redis.call('ZRANGE', KEYS[1], 1980, -1, 'WITHSCORES') }
				""");
		compare("""
				local all = {}
				for i = 1, tonumber(ARGV[1]) do all[i] = i end
				return select('#', unpack(all))
				""", "7990");
		compare("""
				local all = {}
				for i = 1, tonumber(ARGV[1]) do all[i] = i end
				return select('#', unpack(all))
				""", "8000");
		compare("local n = 0 for i = 1, #ARGV do n = n + #ARGV[i] end return n",
				IntStream.range(0, 1_000).mapToObj(Integer::toString).toArray(String[]::new));
	}

}

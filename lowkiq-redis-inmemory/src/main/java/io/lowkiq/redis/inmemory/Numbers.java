package io.lowkiq.redis.inmemory;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/** Numbers as C reads and writes them, and so Redis and Lua 5.1. */
final class Numbers {

	/** How Redis writes scores, and a script's numbers as arguments. */
	static final int REDIS_DIGITS = 17;

	/** How Lua writes numbers. */
	static final int LUA_DIGITS = 14;

	private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

	private static final Pattern HEXADECIMAL = Pattern.compile("[+-]?0[xX][0-9a-fA-F]{1,15}");

	private static final Pattern INFINITE = Pattern.compile("[+-]?inf(inity)?", Pattern.CASE_INSENSITIVE);

	private static final Pattern NOT_ZERO = Pattern.compile("[+-]?[0.]*[1-9]");

	private static final Pattern INTEGER = Pattern.compile("0|-?[1-9]\\d{0,18}");

	private Numbers() {
	}

	/** As {@code %.<digits>g} of C. */
	static String general(double number, int digits) {
		long whole = (long) number;
		if (whole == number && Math.abs(whole) < Math.min(Math.pow(10, digits), 1L << 53)) {
			return (whole == 0 && 1 / number < 0) ? "-0" : Long.toString(whole);
		}
		if (Double.isNaN(number) || Double.isInfinite(number)) {
			return special(number);
		}
		BigDecimal rounded = new BigDecimal(number).round(new MathContext(digits, RoundingMode.HALF_EVEN));
		int exponent = rounded.precision() - rounded.scale() - 1;
		if (exponent >= -4 && exponent < digits) {
			BigDecimal shortened = rounded.stripTrailingZeros();
			return ((shortened.scale() < 0) ? shortened.setScale(0) : shortened).toPlainString();
		}
		BigDecimal mantissa = rounded.movePointLeft(exponent).stripTrailingZeros();
		return String.format(Locale.ROOT, "%se%s%02d", mantissa.toPlainString(), (exponent < 0) ? "-" : "+",
				Math.abs(exponent));
	}

	/** As {@code %.<decimals>f} of C. */
	static String fixed(double number, int decimals) {
		if (Double.isNaN(number) || Double.isInfinite(number)) {
			return special(number);
		}
		String text = new BigDecimal(number).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
		return (1 / number < 0 || number < 0) && !text.startsWith("-") ? "-" + text : text;
	}

	private static String special(double number) {
		return Double.isNaN(number) ? "nan" : (number > 0) ? "inf" : "-inf";
	}

	/** Reads a number as {@code strtod}, which has to take all of the text. */
	static double parse(String text) {
		int length = text.length();
		if (length > 0 && length < 16 && text.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			return Long.parseLong(text);
		}
		if (DECIMAL.matcher(text).matches()) {
			return Double.parseDouble(text);
		}
		if (HEXADECIMAL.matcher(text).matches()) {
			return Long.decode(text);
		}
		return !INFINITE.matcher(text).matches() ? Double.NaN
				: text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
	}

	/** Reads a score, which may be infinite only if it says so. */
	static double parseScore(String text) {
		double score = parse(text);
		boolean overflow = Double.isInfinite(score) && !INFINITE.matcher(text).matches();
		boolean underflow = score == 0 && NOT_ZERO.matcher(text).lookingAt();
		return (overflow || underflow) ? Double.NaN : score;
	}

	/** Without plus sign or leading zeros, as Redis; null if it is none, or too large. */
	static @Nullable Long parseInteger(String text) {
		try {
			return INTEGER.matcher(text).matches() ? Long.valueOf(text) : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/** The bytes as characters, one each. */
	static String text(LuaString bytes) {
		return new String(bytes.m_bytes, bytes.m_offset, bytes.m_length, StandardCharsets.ISO_8859_1);
	}

}

package io.lowkiq.redis.inmemory;

import java.util.Locale;

import io.lowkiq.redis.inmemory.SortedSet.Limit;
import org.luaj.vm2.LuaString;

/** A command with its arguments; that with index 0 is its name. */
@SuppressWarnings("ArrayRecordComponent")
record Arguments(LuaString... values) {

	int count() {
		return this.values.length;
	}

	LuaString get(int index) {
		return this.values[index];
	}

	String text(int index) {
		return Numbers.text(get(index));
	}

	String name() {
		return text(0).toLowerCase(Locale.ROOT);
	}

	/** Whether an argument is an option, in any case. */
	boolean is(int index, String option) {
		return index < count() && text(index).equalsIgnoreCase(option);
	}

	long integer(int index) {
		Long number = Numbers.parseInteger(text(index));
		if (number == null) {
			throw new RedisErrorException("ERR value is not an integer or out of range");
		}
		return number;
	}

	double score(int index) {
		double score = Numbers.parseScore(text(index));
		if (Double.isNaN(score)) {
			throw new RedisErrorException("ERR value is not a valid float");
		}
		return score;
	}

	/** An end of a range of scores, such as {@code (1.5} or {@code -inf}. */
	Limit limit(int index) {
		String text = text(index);
		boolean exclusive = text.startsWith("(");
		String number = text.substring(exclusive ? 1 : 0).stripLeading();
		double score = number.isEmpty() ? 0 : Numbers.parse(number);
		if (Double.isNaN(score)) {
			throw new RedisErrorException("ERR min or max is not a float");
		}
		return new Limit(score, exclusive);
	}

	/** The rank that an argument means, from the end if it is negative. */
	long position(int index, int size) {
		long position = integer(index);
		return (position < 0) ? position + size : position;
	}

}

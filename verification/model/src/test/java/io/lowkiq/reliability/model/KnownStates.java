package io.lowkiq.reliability.model;

/**
 * Numbers states in the order of their coming. Of a state's text only 127 bits of a hash
 * are kept: that two of some million states have the same is less likely than any other
 * mistake.
 */
final class KnownStates {

	private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

	private long[] first = new long[1 << 16];

	/** Never 0 for a state. */
	private long[] second = new long[1 << 16];

	private int[] numbers = new int[1 << 16];

	private int size;

	/** The number of a state; the number of known states if it is a new one. */
	int number(String text) {
		long one = 0;
		long two = 1;
		for (int i = 0; i < text.length(); i++) {
			one = mix(one ^ text.charAt(i));
			two = mix(two + text.charAt(i)) * 31;
		}
		two |= 1;
		int place = find(one, two);
		if (this.second[place] != 0) {
			return this.numbers[place];
		}
		put(place, one, two, this.size);
		if (++this.size > this.first.length / 2) {
			grow();
		}
		return this.size - 1;
	}

	private int find(long one, long two) {
		int mask = this.first.length - 1;
		int place = (int) one & mask;
		while (this.second[place] != 0 && (this.first[place] != one || this.second[place] != two)) {
			place = (place + 1) & mask;
		}
		return place;
	}

	private void put(int place, long one, long two, int number) {
		this.first[place] = one;
		this.second[place] = two;
		this.numbers[place] = number;
	}

	private void grow() {
		long[] ones = this.first;
		long[] twos = this.second;
		int[] old = this.numbers;
		this.first = new long[2 * ones.length];
		this.second = new long[2 * ones.length];
		this.numbers = new int[2 * ones.length];
		for (int i = 0; i < ones.length; i++) {
			if (twos[i] != 0) {
				put(find(ones[i], twos[i]), ones[i], twos[i], old[i]);
			}
		}
	}

	private static long mix(long value) {
		long mixed = value * MULTIPLIER;
		mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
		return mixed ^ (mixed >>> 29);
	}

}

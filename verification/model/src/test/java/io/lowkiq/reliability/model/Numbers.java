package io.lowkiq.reliability.model;

import java.util.Arrays;

/** A list of numbers that may be long. */
final class Numbers {

	private int[] values = new int[1024];

	private int size;

	void add(int value) {
		if (this.size == this.values.length) {
			this.values = Arrays.copyOf(this.values, this.size + this.size / 2);
		}
		this.values[this.size++] = value;
	}

	int get(int place) {
		return this.values[place];
	}

	int size() {
		return this.size;
	}

}

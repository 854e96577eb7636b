package io.lowkiq.test.probe;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

final class Text {

	private static final int MAX = 500;

	private Text() {
	}

	static String of(@Nullable Object value) {
		String nested = Arrays.deepToString(new @Nullable Object[] { value });
		String text = nested.substring(1, nested.length() - 1);
		return (text.length() <= MAX) ? text : text.substring(0, MAX) + "…";
	}

	static String call(String method, Object @Nullable [] arguments) {
		String list = (arguments != null) ? of(arguments) : "[]";
		return method + "(" + list.substring(1, list.length() - (list.endsWith("]") ? 1 : 0)) + ")";
	}

}

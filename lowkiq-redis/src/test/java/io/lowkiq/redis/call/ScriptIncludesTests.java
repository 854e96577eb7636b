package io.lowkiq.redis.call;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptIncludesTests {

	@Test
	void libraryIsIncludedOnceWhereItIsVisible() {
		assertThat(expand(Map.of("script", """
				--@include a
				--@include b
				local function f()
					--@include b
				end
				""", "lib/a", "--@include b\nA\n", "lib/b", "B\n"))).containsExactly("B", "A", "local function f()",
				"end");
	}

	@Test
	void libraryOfBlockIsIncludedAgainBehindIt() {
		assertThat(expand(Map.of("script", """
				if x then
					--@include a
					if y then
						--@include a
					end
				else
					--@include a
				end
				--@include a
				""", "lib/a", "A\n"))).containsExactly("if x then", "A", "if y then", "end", "else", "A", "end", "A");
	}

	@Test
	void libraryThatAnotherIncludesIsVisibleInTheBlockOnly() {
		assertThat(expand(Map.of("script", """
				local function f()
					--@include a
					--@include b
				end
				local function g()
					--@include b
				end
				""", "lib/a", "--@include b\nA\n", "lib/b", "B\n"))).containsExactly("local function f()", "B", "A",
				"end", "local function g()", "B", "end");
	}

	@Test
	void redisGetsNoComments() {
		assertThat(expand(Map.of("script", """
				-- A comment

				local a = 1 -- and another
				"""))).containsExactly("local a = 1 -- and another");
	}

	private static String[] expand(Map<String, String> files) {
		return ScriptIncludes.expand("script", files::get).lines().map(String::strip).toArray(String[]::new);
	}

}

package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the Lua scripts, and the version of the build, in a native image. */
class ScriptRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/lowkiq/redis/**")
			.registerPattern("io/lowkiq/store/node/build.properties");
	}

}

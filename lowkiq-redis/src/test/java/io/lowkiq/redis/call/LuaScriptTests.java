package io.lowkiq.redis.call;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LuaScriptTests {

	@Test
	void includesAreExpanded() {
		LuaScript script = LuaScript.load("acquire", "acquire");
		assertThat(new String(script.text(), StandardCharsets.UTF_8)).contains("local function readEntry")
			.doesNotContain("--@include");
		assertThat(script.sha()).hasSize(40).isEqualTo(LuaScript.load("acquire", "acquire").sha());
	}

	@Test
	void missingScriptIsNamed() {
		assertThatIllegalStateException().isThrownBy(() -> LuaScript.load("nothing", "do nothing"))
			.withMessageContaining("nothing");
	}

}

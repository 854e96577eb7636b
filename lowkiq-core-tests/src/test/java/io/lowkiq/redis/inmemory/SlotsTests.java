package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys have the slots that clients expect.
 */
class SlotsTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "foo", "{foo}bar", "x{foo}", "{}foo", "{}{foo}", "foo{", "foo}", "{foo",
			"{{foo}}", "lowkiq:{orders:1:0}:meta", "\u00ff\u0080" })
	void slotIsThatOfTheHashTag(String key) {
		assertThat(Slots.of(Commands.bytes(key))).isEqualTo(SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8)));
	}

}

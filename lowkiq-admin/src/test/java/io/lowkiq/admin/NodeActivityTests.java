package io.lowkiq.admin;

import java.util.List;
import java.util.Map;

import io.lowkiq.admin.NodeActivity.Minute;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link NodeActivity}. */
class NodeActivityTests {

	private static List<Minute> minutes(String minutes) {
		return NodeActivity.of("{\"minutes\":" + minutes + "}").minutes();
	}

	@Test
	void readsHowLongPerformsTook() {
		assertThat(minutes("[{\"minute\":7,\"queues\":{\"orders\":{\"0\":3,\"2\":1}}},{\"minute\":8,\"queues\":{}}]"))
			.containsExactly(new Minute(7, Map.of("orders", List.of(3L, 0L, 1L))), new Minute(8, Map.of()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "7", "\"x\"", "{}", "null", "[]" })
	void minutesThatCanNotBeReadAreNone(String minutes) {
		assertThat(minutes(minutes)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "7", "[]", "{\"queues\":7}", "{\"threads\":\"x\"}" })
	void whatCanNotBeReadIsUnknown(String report) {
		assertThat(NodeActivity.of(report)).isEqualTo(NodeActivity.of(null));
	}

	@Test
	void theReportOfAnOlderNodeHasNone() {
		assertThat(NodeActivity.of("{\"threadCount\":5,\"threads\":[]}").minutes()).isEmpty();
	}

}

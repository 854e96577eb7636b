package io.lowkiq.admin;

import java.util.List;
import java.util.Map;

import io.lowkiq.admin.NodeActivity.Minute;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link NodeActivity}: nothing in a report is trusted. */
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
	@ValueSource(strings = { "{\"99\":1}", "{\"31\":1}", "{\"-1\":1}", "{\"x\":1}", "{\"1\":-1}", "{\"1\":{}}",
			"{\"1\":1e300}", "{\"1\":9223372036854775807}", "{\"1\":99999999999999999999999}", "[]", "7", "null" })
	void leavesOutCountsThatCanNotBe(String counts) {
		assertThat(minutes("[{\"minute\":7,\"queues\":{\"orders\":" + counts + "}}]"))
			.containsExactly(new Minute(7, Map.of()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "7", "\"x\"", "{}", "null", "[]" })
	void minutesThatCanNotBeReadAreNone(String minutes) {
		assertThat(minutes(minutes)).isEmpty();
	}

	@Test
	void readsTwoMinutesAtMost() {
		assertThat(minutes("[{\"minute\":1},{\"minute\":\"x\"},{\"minute\":3}]"))
			.containsExactly(new Minute(1, Map.of()), new Minute(-1, Map.of()));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{"maxShare":80}   | 80
			{"maxShare":1}    | 1
			{"maxShare":0}    | 1
			{"maxShare":-7}   | 1
			{"maxShare":1000} | 100
			{"maxShare":"x"}  | 100
			{}                | 100
			""")
	void theShareOfAGroupIsSomePercent(String groups, int share) {
		assertThat(NodeActivity.of("{\"queues\":{\"sync\":{\"groups\":" + groups + "}}}").queues().get("sync").groups())
			.extracting(NodeActivity.Groups::maxShare)
			.isEqualTo(share);
	}

	@Test
	void theReportOfAnOlderNodeHasNone() {
		assertThat(NodeActivity.of("{\"threadCount\":5,\"threads\":[]}").minutes()).isEmpty();
	}

}

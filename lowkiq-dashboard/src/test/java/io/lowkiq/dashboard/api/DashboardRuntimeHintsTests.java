package io.lowkiq.dashboard.api;

import java.util.List;

import io.lowkiq.admin.JobStatus;
import io.lowkiq.dashboard.cluster.RedisFacts;
import io.lowkiq.dashboard.jobs.JobDocuments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/** What of the dashboard a native image keeps. */
class DashboardRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	DashboardRuntimeHintsTests() {
		new DashboardRuntimeHints().registerHints(this.hints, null);
	}

	@ParameterizedTest
	@ValueSource(strings = { "page/index.html", "page/assets/app.js", "page/assets/chart/chart.umd.min.js",
			"history/claim-minute.lua", "history/write-minute.lua", "history/write-audit.lua" })
	void filesAndScriptsAreKept(String name) {
		assertThat(RuntimeHintsPredicates.resource().forResource("io/lowkiq/dashboard/" + name)).accepts(this.hints);
	}

	@Test
	void documentsCanBeWrittenAndRead() throws NoSuchMethodException {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(JobDocuments.JobDetail.class, "why"))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(JobStatus.class, "sentence"))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(RedisFacts.Server.class, "version"))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(ApiDocuments.ActionOrder.class.getDeclaredConstructor(String.class, List.class,
					JobDocuments.Selection.class)))
			.accepts(this.hints);
	}

}

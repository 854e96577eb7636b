package io.lowkiq.dashboard.api;

import java.util.stream.Stream;

import io.lowkiq.dashboard.actions.ActionStatus;
import io.lowkiq.dashboard.actions.PayloadEdits;
import io.lowkiq.dashboard.cluster.ClusterDocuments;
import io.lowkiq.dashboard.cluster.RedisFacts;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.history.History;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.dashboard.jobs.PayloadText;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the files, the scripts and the documents of the dashboard in a native image. */
public final class DashboardRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/lowkiq/dashboard/**");
		Class<?>[] documents = Stream.concat(
				Stream.of(ApiDocuments.class, ClusterDocuments.class, JobDocuments.class)
					.flatMap((holder) -> Stream.of(holder.getDeclaredClasses())),
				Stream.of(ActionStatus.class, AuditLog.Entry.class, History.class, PayloadEdits.Edit.class,
						PayloadText.class, RedisFacts.class))
			.toArray(Class<?>[]::new);
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), documents);
	}

}

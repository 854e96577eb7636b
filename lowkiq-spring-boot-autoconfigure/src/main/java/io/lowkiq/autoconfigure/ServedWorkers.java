package io.lowkiq.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.PatternMatchUtils;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;

/**
 * The workers whose queues this node serves, of all that the application has.
 *
 * @param serverProblem why it serves none though there are workers; null if it does or
 * needn't
 */
public record ServedWorkers(WorkerRegistry registry, @Nullable String serverProblem) {

	private static final Logger logger = LoggerFactory.getLogger(ServedWorkers.class);

	/** Chooses by {@code lowkiq.server.queues}. */
	static ServedWorkers of(WorkerRegistry all, LowkiqProperties.Server server) {
		LowkiqProperties.Queues queues = server.queues();
		List<String> names = all.all().stream().map(ServedWorkers::name).distinct().toList();
		warnOfUnknown("include", queues.include(), names);
		warnOfUnknown("exclude", queues.exclude(), names);
		List<RegisteredWorker> served = all.all().stream().filter((worker) -> isServed(name(worker), queues)).toList();
		boolean leavesNone = served.isEmpty() && !names.isEmpty() && server.enabled();
		return new ServedWorkers(new WorkerRegistry(served), leavesNone
				? "lowkiq.server.queues leaves none of the queues %s to serve".formatted(LogText.of(names)) : null);
	}

	private static String name(RegisteredWorker worker) {
		return worker.isInternal() ? InternalQueue.ownerOf(worker.queue()) : worker.queue();
	}

	private static boolean isServed(String queue, LowkiqProperties.Queues queues) {
		return matches(queues.include(), queue) && !matches(queues.exclude(), queue);
	}

	private static boolean matches(List<String> patterns, String queue) {
		return patterns.stream().anyMatch((pattern) -> PatternMatchUtils.simpleMatch(pattern, queue));
	}

	private static void warnOfUnknown(String property, List<String> patterns, List<String> names) {
		List<String> unknown = patterns.stream()
			.filter((pattern) -> !pattern.equals("*")
					&& names.stream().noneMatch((name) -> PatternMatchUtils.simpleMatch(pattern, name)))
			.toList();
		if (!unknown.isEmpty()) {
			logger.warn(
					"lowkiq.server.queues.{} names queues that no worker of this application serves: {}. Its queues are {}. "
							+ "Check the names",
					property, unknown, names);
		}
	}

}

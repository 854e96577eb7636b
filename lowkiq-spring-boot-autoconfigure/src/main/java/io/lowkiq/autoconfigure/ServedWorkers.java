package io.lowkiq.autoconfigure;

import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.PatternMatchUtils;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.internal.InternalQueue;

/**
 * The workers whose queues this node serves, of all that the application has. The
 * application enqueues into the other queues, too.
 *
 * @param registry the workers
 */
record ServedWorkers(WorkerRegistry registry) {

	private static final Logger logger = LoggerFactory.getLogger(ServedWorkers.class);

	/**
	 * Chooses by {@code lowkiq.server.queues}. The internal queues of a queue, such as
	 * that of its schedules, are served where the queue is.
	 */
	static ServedWorkers of(WorkerRegistry all, LowkiqProperties.Queues queues) {
		List<String> names = all.all().stream().map(ServedWorkers::name).distinct().toList();
		warnOfUnknown("include", queues.getInclude(), names);
		warnOfUnknown("exclude", queues.getExclude(), names);
		return new ServedWorkers(
				new WorkerRegistry(all.all().stream().filter((worker) -> isServed(name(worker), queues)).toList()));
	}

	private static String name(RegisteredWorker worker) {
		return worker.isInternal() ? InternalQueue.ownerOf(worker.queue()) : worker.queue();
	}

	private static boolean isServed(String queue, LowkiqProperties.Queues queues) {
		return matches(queues.getInclude(), queue) && !matches(queues.getExclude(), queue);
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

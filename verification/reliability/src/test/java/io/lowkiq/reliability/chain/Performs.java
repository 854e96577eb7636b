package io.lowkiq.reliability.chain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** The performs that the nodes have written down. Not thread-safe. */
final class Performs {

	/** When a step was begun first, and when it ended first. */
	private final Map<String, Long> first = new HashMap<>();

	private final List<String> wrong = new ArrayList<>();

	private final List<Begin> begins = new ArrayList<>();

	private record Begin(int chain, long at) {
	}

	Performs(Path directory) throws IOException {
		try (var files = Files.newDirectoryStream(directory, "*.performs")) {
			for (Path file : files) {
				Files.readAllLines(file).forEach(this::read);
			}
		}
	}

	private void read(String line) {
		String[] parts = line.split(" ");
		if (parts.length < 5) {
			return;
		}
		String key = parts[0] + " " + parts[1] + " " + parts[2];
		this.first.merge(key, Long.parseLong(parts[4]), Math::min);
		if (Boolean.parseBoolean(parts[3])) {
			this.wrong.add(line);
		}
		if (parts[0].equals("begin")) {
			this.begins.add(new Begin(Integer.parseInt(parts[1]), Long.parseLong(parts[4])));
		}
	}

	int count() {
		return this.begins.size();
	}

	/** How often steps of some chains were begun since a time. */
	long countSince(long nanos, Collection<Integer> chains) {
		Set<Integer> wanted = Set.copyOf(chains);
		return this.begins.stream().filter((begin) -> begin.at() >= nanos && wanted.contains(begin.chain())).count();
	}

	/** All steps of a chain were performed, in order. */
	void assertComplete(int chain) {
		for (int step = 1; step <= ChainStep.lastOf(chain); step++) {
			assertThat(begun(chain, step)).as("Step %d of chain %d", step, chain).isNotNull();
		}
		assertOrdered(chain);
	}

	/** No step of a chain was performed before the one before it was done. */
	void assertOrdered(int chain) {
		assertThat(this.wrong).as("Steps that a failed perform has enqueued").isEmpty();
		int last = ChainStep.lastOf(chain);
		for (int step = 2; step <= ChainStep.STEPS; step++) {
			Long begun = begun(chain, step);
			if (step > last) {
				assertThat(begun).as("Step %d of chain %d, after a failed one", step, chain).isNull();
			}
			else if (begun != null) {
				assertThat(this.first.get("end " + chain + " " + (step - 1)))
					.as("End of the step before step %d of chain %d", step, chain)
					.isNotNull()
					.isLessThan(begun);
			}
		}
	}

	private @Nullable Long begun(int chain, int step) {
		return this.first.get("begin " + chain + " " + step);
	}

}

package io.lowkiq.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One process to measure.
 *
 * @param who what is measured in it
 * @param command the command that is started
 * @param environment what is added to its environment
 * @param folder where it is started; empty for the suite's own folder
 * @param storage where it keeps its jobs
 * @param jobs how many jobs it performs, if it doesn't say so itself
 */
record Trial(String scenario, String who, List<String> command, Map<String, String> environment, Optional<Path> folder,
		Storage.Kind storage, int jobs) {
}

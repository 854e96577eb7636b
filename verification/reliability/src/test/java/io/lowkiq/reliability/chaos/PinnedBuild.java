package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The build beside which later ones have to run: that of the commit that
 * {@code pinned-commit} names. It is built once.
 */
final class PinnedBuild {

	private PinnedBuild() {
	}

	/** The class path of its programs. */
	static String classPath() {
		Path script = Path.of("../../.ci/pinned-build").toAbsolutePath().normalize();
		try {
			Process build = new ProcessBuilder(script.toString()).redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			String classPath = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			if (build.waitFor() != 0) {
				throw new IllegalStateException("The pinned commit can't be built; see the output above");
			}
			return classPath;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}

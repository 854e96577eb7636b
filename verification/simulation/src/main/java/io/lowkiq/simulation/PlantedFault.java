package io.lowkiq.simulation;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A rule that is removed or turned round, in a script or in a class.
 *
 * @param name what goes wrong
 * @param file the file, from the root of the repository
 */
record PlantedFault(String name, String file, String rule, String replacement) {

	/** The file of all rules, from the root of the repository on. */
	static final String LIST = "verification/simulation/planted-faults.txt";

	private static final String LOADER = "planted";

	/** Reads blocks between empty lines: name, file, the rule, its replacement. */
	static List<PlantedFault> read(Path list) throws IOException {
		List<PlantedFault> faults = new ArrayList<>();
		for (String block : Files.readString(list).split("\n\n", -1)) {
			List<String> lines = block.lines().filter((line) -> !line.startsWith("#")).toList();
			if (lines.size() > 2) {
				int middle = 2 + (lines.size() - 2) / 2;
				faults.add(new PlantedFault(lines.get(0), lines.get(1), String.join("\n", lines.subList(2, middle)),
						String.join("\n", lines.subList(middle, lines.size()))));
			}
		}
		return faults;
	}

	boolean isInScript() {
		return this.file.endsWith(".lua");
	}

	/** The text of a script without the rule. */
	String remove(String text) {
		return isInScript() ? text.replace(this.rule, this.replacement) : text;
	}

	/**
	 * The program without the rule: if that is in a class, everything is loaded again.
	 */
	Class<?> program() throws IOException, ReflectiveOperationException {
		if (isInScript() || LOADER.equals(PlantedFault.class.getClassLoader().getName())) {
			return SimulationProgram.class;
		}
		Path directory = Files.createTempDirectory(LOADER);
		compile(directory);
		List<URL> urls = new ArrayList<>(List.of(directory.toUri().toURL()));
		for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
			urls.add(Path.of(each).toUri().toURL());
		}
		return new URLClassLoader(LOADER, urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())
			.loadClass(SimulationProgram.class.getName());
	}

	/** Compiles the changed class, to be found first. */
	private void compile(Path directory) throws IOException {
		String changed = Files.readString(Path.of(this.file)).replace(this.rule, this.replacement);
		Path source = directory.resolve(Path.of(this.file).getFileName());
		Files.writeString(source, changed);
		JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK is needed");
		int result = compiler.run(null, null, null, "-proc:none", "-parameters", "-nowarn", "-cp",
				System.getProperty("java.class.path"), "-d", directory.toString(), source.toString());
		if (result != 0) {
			throw new IllegalStateException("Doesn't compile: " + this.name);
		}
	}

}

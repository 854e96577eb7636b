package io.lowkiq.snippets.pages;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The complete files of a page: blocks of code after a line that names their path in
 * bold.
 */
final class PageFiles {

	static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern FILE = Pattern.compile("(?m)^\\*\\*`([\\w./-]+)`\\*\\*\\n```[a-z]+\\n((?s:.*?))^```$");

	private final Map<String, String> files = new LinkedHashMap<>();

	private final Path folder;

	/** Copies the files of a page, as a reader does. */
	PageFiles(String page, Path folder) {
		this.folder = folder;
		try {
			Matcher file = FILE.matcher(Files.readString(ROOT.resolve(page)));
			while (file.find()) {
				this.files.put(file.group(1), file.group(2));
				Path path = folder.resolve(file.group(1));
				Files.createDirectories(path.getParent());
				Files.writeString(path, file.group(2));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		assertThat(this.files).as("files of %s", page).isNotEmpty();
	}

	String text(String path) {
		return this.files.getOrDefault(path, "");
	}

	Path path(String path) {
		return this.folder.resolve(path);
	}

	/** Compiles the Java of the page as strictly as Maven's defaults for Spring Boot. */
	URLClassLoader compile() {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Path classes = this.folder.resolve("target");
		List<File> sources = this.files.keySet()
			.stream()
			.filter((path) -> path.endsWith(".java"))
			.map((path) -> this.folder.resolve(path).toFile())
			.toList();
		StringWriter output = new StringWriter();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
			Files.createDirectories(classes);
			boolean compiled = compiler
				.getTask(output, manager, null,
						List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"),
								"-parameters", "-proc:none", "-Xlint:all,-path,-processing,-classfile", "-Werror"),
						null, manager.getJavaFileObjectsFromFiles(sources))
				.call();
			assertThat(compiled).as("%s", output).isTrue();
			URL[] urls = { classes.toUri().toURL() };
			return new URLClassLoader(urls, PageFiles.class.getClassLoader());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

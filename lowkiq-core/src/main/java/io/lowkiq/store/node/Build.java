package io.lowkiq.store.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.Set;

/**
 * The version of a node, or empty, and the formats it reads: a later version uses a new
 * one only when all nodes can.
 */
public record Build(String version, Set<Integer> formats) {

	public static final Build UNKNOWN = new Build("", Set.of());

	public static final Build THIS = new Build(readVersion(), Set.of(1));

	public Build {
		formats = Set.copyOf(formats);
	}

	private static String readVersion() {
		try (InputStream file = Build.class.getResourceAsStream("build.properties")) {
			Properties properties = new Properties();
			if (file != null) {
				properties.load(file);
			}
			String version = properties.getProperty("version", "");
			// An IDE may not fill it in
			return version.startsWith("$") ? "" : version;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

package io.lowkiq.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.core.io.ClassPathResource;

/**
 * The files of the page, read once from the jar. Nothing but these is ever served.
 */
final class Page {

	private static final String ROOT = "{{root}}";

	private static final Map<String, String> TYPES = Map.of("css", "text/css;charset=UTF-8", "js",
			"text/javascript;charset=UTF-8", "svg", "image/svg+xml", "md", "text/plain;charset=UTF-8");

	private static final List<String> NAMES = List.of("app.css", "app.js", "theme.js", "api.js", "dom.js", "format.js",
			"chart.js", "links.js", "overview.js", "queue.js", "job.js", "jobs.js", "actions.js", "edit.js", "icon.svg",
			"chart/chart.umd.min.js", "chart/LICENSE.md");

	private final Map<String, Asset> assets = new LinkedHashMap<>();

	private final String shell;

	Page() {
		this.shell = new String(read("index.html"), StandardCharsets.UTF_8);
		for (String name : NAMES) {
			byte[] content = read("assets/" + name);
			String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
			this.assets.put(name, new Asset(type, content, tag(content)));
		}
	}

	/**
	 * The document of every page. Its links are relative, so that it doesn't matter which
	 * prefixes a proxy puts before the path.
	 * @param root the way from the page to the base path, such as {@code ../../}
	 * @return the document
	 */
	byte[] shell(String root) {
		return this.shell.replace(ROOT, root).getBytes(StandardCharsets.UTF_8);
	}

	Optional<Asset> asset(String name) {
		return Optional.ofNullable(this.assets.get(name));
	}

	private static byte[] read(String name) {
		try {
			return new ClassPathResource("page/" + name, Page.class).getContentAsByteArray();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String tag(byte[] content) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
			return '"' + HexFormat.of().formatHex(digest, 0, 12) + '"';
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A file of the page.
	 *
	 * @param type its media type
	 * @param content its content
	 * @param tag its entity tag
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Asset(String type, byte[] content, String tag) {
	}

}

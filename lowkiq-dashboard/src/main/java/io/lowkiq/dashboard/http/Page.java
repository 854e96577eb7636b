package io.lowkiq.dashboard.http;

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
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;

/** The files of the page, read once from the jar. Nothing but these is ever served. */
final class Page {

	/** The prefix of the first segment of a versioned address. */
	static final String VERSION_MARK = "v-";

	private static final String ROOT = "{{root}}";

	private static final String HEAD_END = "</head>";

	private static final String ASSETS = "{{assets}}";

	private static final Map<String, String> TYPES = Map.of("css", "text/css;charset=UTF-8", "js",
			"text/javascript;charset=UTF-8", "svg", "image/svg+xml", "md", "text/plain;charset=UTF-8", "lit/LICENSE",
			"text/plain;charset=UTF-8");

	private static final List<String> NAMES = List.of("app.css", "app.js", "theme.js", "api.js", "format.js", "ui.js",
			"counts.js", "chart.js", "overview.js", "queue.js", "job.js", "jobs.js", "actions.js", "edit.js",
			"running.js", "stack.js", "errors.js", "search.js", "audit.js", "outbox.js", "follow-ups.js",
			"schedules.js", "sources.js", "groups.js", "help.js", "operations.md", "icon.svg", "icon-trouble.svg",
			"chart/chart.umd.min.js", "chart/LICENSE.md", "lit/lit-html.js", "lit/directive.js",
			"lit/directive-helpers.js", "lit/directives/repeat.js", "lit/LICENSE");

	private final Map<String, Asset> assets = new LinkedHashMap<>();

	private final String shell;

	private final String version;

	Page() {
		MessageDigest all = sha256();
		for (String name : NAMES) {
			byte[] content = read("assets/" + name);
			String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
			all.update(content);
			String tag = '"' + HexFormat.of().formatHex(sha256().digest(content), 0, 12) + '"';
			this.assets.put(name, new Asset(type, content, tag));
		}
		this.version = VERSION_MARK + HexFormat.of().formatHex(all.digest(), 0, 8);
		this.shell = new String(read("index.html"), StandardCharsets.UTF_8).replace(ASSETS,
				ROOT + "assets/" + this.version + "/");
	}

	/** The version of the files: other files have another one. */
	String version() {
		return this.version;
	}

	/**
	 * The document of every page. Its links are relative, so that it doesn't matter which
	 * prefixes a proxy puts before the path.
	 */
	byte[] shell(String root, List<String> modules) {
		String preloads = modules.stream()
			.map((module) -> "\t<link rel=\"modulepreload\" href=\"%sassets/%s/%s\">\n".formatted(ROOT, this.version,
					module))
			.collect(Collectors.joining());
		return this.shell.replace(HEAD_END, preloads + HEAD_END).replace(ROOT, root).getBytes(StandardCharsets.UTF_8);
	}

	Optional<Asset> asset(String name) {
		return Optional.ofNullable(this.assets.get(name));
	}

	private static byte[] read(String name) {
		try {
			return new ClassPathResource("io/lowkiq/dashboard/page/" + name, Page.class.getClassLoader())
				.getContentAsByteArray();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A file of the page, with its media type and entity tag. */
	@SuppressWarnings("ArrayRecordComponent")
	record Asset(String type, byte[] content, String tag) {
	}

}

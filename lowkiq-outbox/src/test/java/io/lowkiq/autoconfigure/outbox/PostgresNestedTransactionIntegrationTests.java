package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresNestedTransactionIntegrationTests extends NestedTransactionContract {

	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@AfterAll
	static void stop() throws IOException {
		postgres.close();
	}

	@Override
	DataSource dataSource() {
		return postgres.getPostgresDatabase();
	}

	@Override
	String platform() {
		return "postgresql";
	}

}

package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

class PostgresNestedTransactionIntegrationTests extends NestedTransactionContract {

	@AutoClose
	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
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

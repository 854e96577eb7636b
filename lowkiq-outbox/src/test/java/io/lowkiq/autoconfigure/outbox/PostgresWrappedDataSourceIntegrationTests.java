package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

class PostgresWrappedDataSourceIntegrationTests extends WrappedDataSourceContract {

	@AutoClose
	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@Override
	String url() {
		return postgres.getJdbcUrl("postgres", "postgres");
	}

	@Override
	String user() {
		return "postgres";
	}

	@Override
	String platform() {
		return "postgresql";
	}

}

package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

class PostgresLateEnqueueIntegrationTests extends LateEnqueueContract {

	@AutoClose
	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@Override
	String[] database() {
		return new String[] { "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
				"spring.datasource.username=postgres" };
	}

}

package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresLateEnqueueIntegrationTests extends LateEnqueueContract {

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
	String[] database() {
		return new String[] { "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
				"spring.datasource.username=postgres" };
	}

}

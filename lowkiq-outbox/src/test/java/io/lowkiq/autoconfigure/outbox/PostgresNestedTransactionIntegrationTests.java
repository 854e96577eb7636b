package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;

class PostgresNestedTransactionIntegrationTests extends NestedTransactionContract {

	@AutoClose
	private static EmbeddedPostgres postgres;

	@AutoClose
	private static HikariDataSource pool;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
		pool = OutboxFixture.pool(postgres.getPostgresDatabase());
	}

	@Override
	DataSource dataSource() {
		return pool;
	}

	@Override
	String platform() {
		return "postgresql";
	}

}

package io.lowkiq.autoconfigure.outbox;

import java.util.UUID;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class H2NestedTransactionTests extends NestedTransactionContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

	@Override
	String platform() {
		return "h2";
	}

}

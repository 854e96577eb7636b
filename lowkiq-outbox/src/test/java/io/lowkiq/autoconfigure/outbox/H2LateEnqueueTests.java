package io.lowkiq.autoconfigure.outbox;

class H2LateEnqueueTests extends LateEnqueueContract {

	@Override
	String[] database() {
		return new String[] { "spring.datasource.generate-unique-name=true",
				"spring.datasource.type=com.zaxxer.hikari.HikariDataSource" };
	}

}

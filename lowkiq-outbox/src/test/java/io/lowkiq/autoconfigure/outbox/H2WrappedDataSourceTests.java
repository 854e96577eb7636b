package io.lowkiq.autoconfigure.outbox;

import java.util.UUID;

class H2WrappedDataSourceTests extends WrappedDataSourceContract {

	private final String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	@Override
	String url() {
		return this.url;
	}

	@Override
	String user() {
		return "sa";
	}

	@Override
	String platform() {
		return "h2";
	}

}

package io.lowkiq.internal;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InternalQueueTests {

	@Test
	void namesTellTheKindAndTheOwner() {
		for (InternalQueue kind : InternalQueue.values()) {
			String name = kind.nameFor("mail.out");
			assertThat(InternalQueue.of(name)).contains(kind);
			assertThat(InternalQueue.ownerOf(name)).isEqualTo("mail.out");
		}
	}

	@Test
	void otherQueuesAreTheirOwn() {
		for (String name : new String[] { "schedules", ".schedules", "records", "orders.recordsx" }) {
			assertThat(InternalQueue.of(name)).isEmpty();
			assertThat(InternalQueue.ownerOf(name)).isEqualTo(name);
		}
	}

}

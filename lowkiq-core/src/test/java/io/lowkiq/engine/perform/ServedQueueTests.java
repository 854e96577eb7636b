package io.lowkiq.engine.perform;

import java.util.List;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServedQueueTests {

	static class Prototype implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@Test
	void eachRunGetsThePrototypeThatIsMadeForIt() {
		ServedQueue queue = new ServedQueue(new RegisteredWorker("orders", Prototype.class, String.class,
				RegisteredWorker.Settings.DEFAULTS, Prototype::new), 1);
		assertThat(queue.bean()).isNotSameAs(queue.bean());
	}

}

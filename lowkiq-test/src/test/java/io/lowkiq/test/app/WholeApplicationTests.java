package io.lowkiq.test.app;

import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.AutoConfigureLowkiq;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "spring.data.redis.port=1")
@AutoConfigureLowkiq
class WholeApplicationTests {

	@Test
	void applicationEnqueuesAndTheTestDrains(@Autowired ShopFront front, @Autowired LowkiqTester lowkiq,
			@Autowired OrderBook book, @Autowired LowkiqServer server) {
		front.order("42");
		assertThat(book.orders).isEmpty();
		lowkiq.drain();
		assertThat(book.orders).containsKey("42");
		assertThat(server.isRunning()).isFalse();
	}

}

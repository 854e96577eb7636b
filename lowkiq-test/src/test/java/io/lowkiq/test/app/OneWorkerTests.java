package io.lowkiq.test.app;

import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** A slice with one worker, which needs nothing else. */
@LowkiqTest(MailWorker.class)
class OneWorkerTests {

	@Test
	void otherWorkersAreLeftOut(@Autowired ApplicationContext context, @Autowired LowkiqTester lowkiq,
			@Autowired LowkiqClient client, @Autowired MailWorker mails) {
		assertThat(context.getBeanNamesForType(OrderWorker.class)).isEmpty();
		client.enqueue(MailWorker.class, "a", "text");
		lowkiq.drain();
		assertThat(mails.batches).hasToString("[[a]]");
	}

}

package io.lowkiq.test.app;

import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@LowkiqTest(MailWorker.class)
@Import(TransactionTests.StubTransactionManager.class)
class DrainInTransactionTests {

	@Test
	void workerIsCalledOutsideOfTheTransactionOfTheTestWhichGoesOn(@Autowired LowkiqTester lowkiq,
			@Autowired LowkiqClient client, @Autowired MailWorker mails,
			@Autowired PlatformTransactionManager transactionManager) {
		new TransactionTemplate(transactionManager).executeWithoutResult((status) -> {
			client.enqueue(MailWorker.class, "42", "text");
			lowkiq.drain();
			assertThat(mails.batches).hasSize(1);
			assertThat(mails.inTransaction).isFalse();
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
		});
	}

}

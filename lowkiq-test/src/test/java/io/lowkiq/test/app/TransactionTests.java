package io.lowkiq.test.app;

import io.lowkiq.LowkiqClient;
import io.lowkiq.test.LowkiqMode;
import io.lowkiq.test.LowkiqTester;
import io.lowkiq.test.autoconfigure.LowkiqTest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@LowkiqTest(value = MailWorker.class, mode = LowkiqMode.INLINE, properties = "lowkiq.client.transactional=after-commit")
@Import(TransactionTests.StubTransactionManager.class)
class TransactionTests {

	@Autowired
	private LowkiqTester lowkiq;

	@Autowired
	private LowkiqClient client;

	@Autowired
	private MailWorker mails;

	@Autowired
	private PlatformTransactionManager transactionManager;

	@BeforeEach
	void clear() {
		this.mails.batches.clear();
		this.mails.inTransaction = false;
	}

	@Test
	void jobIsPerformedAfterTheCommitAndOutsideOfTheTransaction() {
		transaction().executeWithoutResult((status) -> {
			this.client.enqueue(MailWorker.class, "42", "text");
			assertThat(this.mails.batches).isEmpty();
		});
		assertThat(this.mails.batches).hasSize(1);
		assertThat(this.mails.inTransaction).isFalse();
	}

	@Test
	void jobIsDroppedWithItsTransaction() {
		transaction().executeWithoutResult((status) -> {
			this.client.enqueue(MailWorker.class, "42", "text");
			status.setRollbackOnly();
		});
		assertThat(this.mails.batches).isEmpty();
		assertThat(this.lowkiq.queue("mails")).isEmpty();
	}

	private TransactionTemplate transaction() {
		return new TransactionTemplate(this.transactionManager);
	}

	/** Knows transactions of one thread, and of nothing. */
	static class StubTransactionManager extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private boolean active;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.active;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.active = true;
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			this.active = false;
		}

		@Override
		protected Object doSuspend(Object transaction) {
			this.active = false;
			return this;
		}

		@Override
		protected void doResume(@Nullable Object transaction, Object suspendedResources) {
			this.active = true;
		}

	}

}

package io.lowkiq.test.app;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqWorker;

import org.springframework.transaction.support.TransactionSynchronizationManager;

@LowkiqWorker(queue = "mails", shards = 1, batchSize = 2)
class MailWorker implements BatchWorker<String> {

	final List<List<String>> batches = new ArrayList<>();

	boolean inTransaction;

	@Override
	public synchronized void perform(Batch<String> batch) {
		this.inTransaction |= TransactionSynchronizationManager.isActualTransactionActive();
		this.batches.add(batch.jobs().stream().map(Batch.Job::id).toList());
	}

}

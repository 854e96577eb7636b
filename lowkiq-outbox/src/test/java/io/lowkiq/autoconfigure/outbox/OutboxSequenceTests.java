package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.lowkiq.store.job.NewPayload;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A sequence that went back. */
@ExtendWith(OutputCaptureExtension.class)
class OutboxSequenceTests {

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

	@Test
	void nothingIsSentAfterTheSequenceWentBackUntilTwoStatementsMendIt(CapturedOutput output) {
		this.outbox.send("a", "a", "a", "a", "a");
		this.outbox.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 1");
		this.outbox.enqueue("a", "b");
		String problem = expectProblem(this.outbox.flush);
		assertThat(problem).contains("went back from 8796093022");
		assertThat(this.outbox.target.ids()).hasSize(5);
		Health health = new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("sequence", problem);
		expectProblem(this.outbox.flush);
		assertThat(output).containsOnlyOnce("The sequence of lowkiq_outbox.seq went back");
		// Written meanwhile
		this.outbox.enqueue("a");
		List<String> statements = statements(problem);
		this.outbox.jdbc.execute(statements.get(0));
		// Also to a process that has just started, the second one is missing
		expectProblem(this.outbox.flush(this.outbox.target::enqueue));
		this.outbox.enqueue("a");
		this.outbox.jdbc.execute(statements.get(1));
		this.outbox.send("a");
		assertThat(scores("a")).hasSize(5 + 4).isSorted().doesNotHaveDuplicates();
		assertThat(this.outbox.rows()).isZero();
		assertThat(new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher).health()
			.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void rowsFromBeforeStayBeforeTheRowsOfMeanwhile() {
		this.outbox.send("a", "b");
		this.outbox.enqueue("a");
		long old = this.outbox.all().get(0).sequence();
		this.outbox.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 1");
		this.outbox.enqueue("a", "a");
		List<String> statements = statements(expectProblem(this.outbox.flush));
		statements.forEach(this.outbox.jdbc::execute);
		this.outbox.flushAll();
		assertThat(scores("a")).hasSize(4).isSorted().contains((double) old);
	}

	@Test
	void rowsThatWereReadBeforeTheyWereRenumberedAreReadAgain() {
		this.outbox.send("a");
		this.outbox.enqueue("a");
		this.outbox.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 1");
		this.outbox.enqueue("a");
		List<String> statements = statements(expectProblem(this.outbox.flush));
		OutboxSequence sequence = new OutboxSequence(this.outbox.table, this.outbox.jdbc);
		OutboxLock.State state = this.outbox.table.lock().state();
		List<OutboxRow> rows = this.outbox.all();
		statements.forEach(this.outbox.jdbc::execute);
		assertThat(sequence.check(state, rows)).isFalse();
		assertThat(sequence.check(this.outbox.table.lock().state(), this.outbox.all())).isTrue();
	}

	@Test
	void itIsNoticedAtTheStart() {
		this.outbox.send("a");
		this.outbox.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 1");
		expectProblem(this.outbox.flush(this.outbox.target::enqueue));
	}

	@Test
	void aRowThatIsTakenBackIsUsual() {
		this.outbox.enqueue("a");
		this.outbox.putFirstAside("a reason");
		this.outbox.send("b");
		long sequence = this.outbox.table.aside().unsent(1).get(0).sequence();
		new OperatedOutbox(this.outbox.dataSource, this.outbox.table, this.outbox.flush, this.outbox.flusher)
			.sendAgain(sequence);
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).containsExactly("b", "a");
	}

	@Test
	void manyWritersThatCommitOutOfOrderGiveNoAlarm() {
		ExecutorService writers = Executors.newFixedThreadPool(50);
		List<CompletableFuture<Void>> ends = new ArrayList<>();
		for (int writer = 0; writer < 50; writer++) {
			String id = "a" + writer;
			ends.add(CompletableFuture.runAsync(() -> IntStream.range(0, 40)
				.forEach((i) -> this.outbox.transaction.executeWithoutResult((status) -> {
					this.outbox.enqueue(id);
					Thread.yield();
				})), writers));
		}
		CompletableFuture<Void> end = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
		while (!end.isDone()) {
			this.outbox.flushAll();
		}
		end.join();
		writers.shutdown();
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).hasSize(50 * 40);
		assertThat(this.outbox.flush.sequenceProblem()).isNull();
	}

	private String expectProblem(OutboxFlush flush) {
		assertThatIllegalStateException().isThrownBy(flush::step).withMessageContaining("ALTER TABLE");
		return String.valueOf(flush.sequenceProblem());
	}

	private static List<String> statements(String problem) {
		return List.of(problem.substring(problem.indexOf("in this order: ") + 15).split("; ?"));
	}

	private List<Double> scores(String id) {
		return this.outbox.target.payloads()
			.stream()
			.filter((payload) -> payload.id().equals(id))
			.map(NewPayload::score)
			.toList();
	}

}

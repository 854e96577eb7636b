package io.lowkiq.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.lowkiq.LayoutMismatchException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/** Which answers of the store change what a client knows of a queue. */
@ExtendWith(OutputCaptureExtension.class)
class KnownQueuesTests {

	private static final QueueLayout LAYOUT = new QueueLayout("declared", 3, 12);

	private static final QueueLayout OTHER = new QueueLayout("other", 2, 5);

	private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1);

	private final QueueRegistry registry = mock(QueueRegistry.class);

	private final KnownQueues queues = new KnownQueues(new WorkerRegistry(List.of()),
			List.of(new QueueDeclaration("declared", 12)), this.registry, this.nanoTime::get);

	private void passes(Duration time) {
		this.nanoTime.addAndGet(time.toNanos());
	}

	private void answers() {
		willReturn(LAYOUT).given(this.registry).register(any(QueueDeclaration.class));
		willReturn(Optional.of(OTHER)).given(this.registry).find(any());
	}

	private void fails(StoreException problem) {
		willThrow(problem).given(this.registry).register(any(QueueDeclaration.class));
		willThrow(problem).given(this.registry).find(any());
	}

	static Stream<StoreException> missingAnswers() {
		return Stream.of(new StoreTimeoutException("no reply", null), new StoreUnreachableException("away", null));
	}

	private QueueLayout known(String queue) {
		answers();
		return this.queues.layout(queue);
	}

	@ParameterizedTest
	@MethodSource("missingAnswers")
	void aMissingAnswerKeepsTheKnownLayout(StoreException missing, CapturedOutput output) {
		assertThat(known("declared")).isEqualTo(LAYOUT);
		assertThat(known("other")).isEqualTo(OTHER);
		fails(missing);
		passes(Duration.ofMinutes(61));
		assertThat(this.queues.layout("declared")).isEqualTo(LAYOUT);
		assertThat(this.queues.layout("other")).isEqualTo(OTHER);
		assertThat(this.queues.lookUp("other")).isEqualTo(OTHER);
		assertThat(output).contains("The record of queue 'declared' can't be read: " + missing.getMessage());
	}

	@ParameterizedTest
	@ValueSource(strings = { "declared", "other" })
	void theStoreIsAskedAgainOnlyAfterAnHour(String queue) {
		QueueLayout layout = known(queue);
		fails(new StoreTimeoutException("no reply", null));
		passes(Duration.ofMinutes(61));
		for (int i = 0; i < 10; i++) {
			assertThat(this.queues.layout(queue)).isEqualTo(layout);
			passes(Duration.ofMinutes(5));
		}
		passes(Duration.ofMinutes(11));
		assertThat(this.queues.layout(queue)).isEqualTo(layout);
		then(this.registry).should(times(queue.equals("declared") ? 3 : 0))
			.register(new QueueDeclaration("declared", 12));
		then(this.registry).should(times(queue.equals("other") ? 3 : 0)).find("other");
	}

	@Test
	void anyOtherFailureIsThrown() {
		known("declared");
		known("other");
		passes(Duration.ofMinutes(61));
		fails(new StoreException("Queue 'declared' is being removed", null));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.queues.layout("declared"));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.queues.layout("other"));
		willReturn(Optional.empty()).given(this.registry).find("other");
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.queues.layout("other"));
		willReturn(new QueueLayout("declared", 4, 7)).given(this.registry)
			.register(new QueueDeclaration("declared", 12));
		assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(() -> this.queues.layout("declared"));
	}

	@Test
	void aQueueThatIsNotKnownCanNotBeUsedWithoutAnAnswer() {
		fails(new StoreTimeoutException("no reply", null));
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> this.queues.layout("declared"));
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> this.queues.layout("other"));
	}

}

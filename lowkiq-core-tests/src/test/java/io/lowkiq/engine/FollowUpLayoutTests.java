package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What the mover of follow-ups knows of a queue while its record can't be read.
 */
class FollowUpLayoutTests {

	private static final QueueLayout MAILS = new QueueLayout("mails", 2, 5);

	private final QueueRegistry queues = mock(QueueRegistry.class);

	private final AtomicLong nanoTime = new AtomicLong();

	private final FollowUpMover mover = new FollowUpMover(InMemoryRedis.newStore(InstantSource.system()).shards(),
			this.queues, LowkiqObserver.NONE, new SystemRuntime(this.nanoTime::get), Runnable::run);

	@Test
	void aMissingAnswerKeepsTheKnownLayout() {
		given(this.queues.find("mails")).willReturn(Optional.of(MAILS));
		this.mover.lookUp("mails").join();
		given(this.queues.find("mails")).willThrow(new StoreTimeoutException("no reply", null));
		this.nanoTime.addAndGet(Duration.ofMinutes(61).toNanos());
		assertThat(this.mover.layout("mails")).isNull();
		this.mover.lookUp("mails").join();
		assertThat(this.mover.layout("mails")).isEqualTo(MAILS);
	}

	@Test
	void aQueueThatIsGoneIsRefused() {
		given(this.queues.find("mails")).willReturn(Optional.of(MAILS));
		this.mover.lookUp("mails").join();
		given(this.queues.find("mails")).willReturn(Optional.empty());
		this.nanoTime.addAndGet(Duration.ofMinutes(61).toNanos());
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.mover.lookUp("mails").join())
			.withCauseInstanceOf(UnknownQueueException.class);
		assertThat(this.mover.layout("mails")).isNull();
	}

}

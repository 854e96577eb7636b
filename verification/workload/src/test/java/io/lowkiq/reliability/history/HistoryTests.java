package io.lowkiq.reliability.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.Event.Scored;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the history's files. */
class HistoryTests {

	private static final Shard SHARD = new Shard("orders", 1, 4);

	@TempDir
	Path directory;

	@Test
	void everyEventIsReadAsItWasWritten() {
		Event[] events = { new Event.EnqueueCalled(1, "orders", "42", 7, true, 250), new Event.EnqueueReturned(2, 7),
				new Event.PerformStarted(3, 1, SHARD, "42", 9, -1, List.of(new Scored(7, 1.5), new Scored(8, 2e18))),
				new Event.PerformEnded(4, 1, true, false),
				new Event.PerformEnded(4, 2, false, true, List.of(7L, 8L), List.of(9L), List.of(10L, 11L)),
				new Event.OnSuccessCalled(4, 2, 10, "orders", "42"), new Event.StepNamed(4, 7, 12, "prices", "43"),
				new Event.SessionHeld(5, "s", 6), new Event.LeaseAcquired(7, SHARD, "s", 9, 2),
				new Event.OwnerCalled(8, 3, SHARD, 9, false, List.of("42", "43")),
				new Event.OwnerCalled(8, 4, SHARD, 9, true, List.of()),
				new Event.OwnerAnswered(9, 3, Answer.APPLIED, List.of("44")),
				new Event.OwnerAnswered(9, 4, Answer.NONE, List.of()),
				new Event.ActionCalled(9, 1, Action.RE_ENQUEUE, "orders", "*"), new Event.ActionReturned(9, 1),
				new Event.ProcessUp(10, "n"), new Event.ProcessGone(11, "n"),
				new Event.FaultBegun(12, 1, FaultKind.CUT, "*"), new Event.FaultOver(13, 1),
				new Event.FoundDead(14, "orders", "42", 7), new Event.FoundLeft(15, "orders", "43") };
		try (HistoryWriter writer = new HistoryWriter(this.directory, "one")) {
			writer.write(events);
		}
		assertThat(History.read(this.directory).byProcess()).containsOnlyKeys("one")
			.hasEntrySatisfying("one", (read) -> assertThat(read).containsExactly(events));
	}

	@Test
	void eventIsInTheFileWhenWriteReturns() {
		try (HistoryWriter writer = new HistoryWriter(this.directory, "one")) {
			writer.write(new Event.EnqueueReturned(2, 7));
			assertThat(History.read(this.directory).byProcess().get("one")).hasSize(1);
		}
	}

	@Test
	void tornLastLineIsLeftOut() throws IOException {
		try (HistoryWriter writer = new HistoryWriter(this.directory, "one")) {
			writer.write(new Event.EnqueueReturned(2, 7));
		}
		Files.writeString(this.directory.resolve("one.history"), "ok 3 1", StandardOpenOption.APPEND);
		assertThat(History.read(this.directory).byProcess().get("one"))
			.containsExactly(new Event.EnqueueReturned(2, 7));
	}

}

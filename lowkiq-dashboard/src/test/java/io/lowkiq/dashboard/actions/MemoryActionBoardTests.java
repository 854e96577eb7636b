package io.lowkiq.dashboard.actions;

import io.lowkiq.dashboard.actions.ActionStatus.State;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link MemoryActionBoard}.
 */
class MemoryActionBoardTests extends ActionBoardContract {

	private final ActionBoard board = new MemoryActionBoard();

	@Override
	ActionBoard board() {
		return this.board;
	}

	@Test
	void keepsABoundedNumberOfActionsThatHaveEnded() {
		ActionStatus first = this.board.begin(all());
		this.board.end(first.ended(State.DONE, 1, "Done."));
		for (int i = 1; i < MemoryActionBoard.KEPT; i++) {
			this.board.end(this.board.begin(all()).ended(State.DONE, 1, "Done."));
		}
		assertThat(this.board.find(first.run())).isPresent();
		ActionStatus running = this.board.begin(all());
		assertThat(this.board.find(first.run())).isEmpty();
		assertThat(this.board.find(running.run())).isPresent();
	}

}

package io.lowkiq.dashboard.actions;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

import io.lowkiq.Ids;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.actions.RefusedEditException.Reason;
import io.lowkiq.dashboard.jobs.PayloadText;
import io.lowkiq.dashboard.jobs.PayloadText.Kind;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the first payload of a job on hold, or of a dead one, by what a person has
 * made of it. Thread-safe.
 */
public final class PayloadEdits {

	private final RedisStore store;

	private final LowkiqAdmin admin;

	private final PayloadText.Renderer renderer;

	/** Creates the editor. */
	public PayloadEdits(RedisStore store, LowkiqAdmin admin, PayloadText.Renderer renderer) {
		this.admin = admin;
		this.store = store;
		this.renderer = renderer;
	}

	/** An edit of the text that a person has seen. */
	public record Edit(@Nullable String id, @Nullable String known, @Nullable String text) {
	}

	/** Jobs whose payloads can be edited. */
	public enum Target {

		/** Jobs on hold. */
		HELD,

		/** Dead jobs. */
		DEAD

	}

	/**
	 * Replaces a payload.
	 * @throws RefusedEditException if the payload can't be edited, or is another one by
	 * now
	 */
	public void edit(QueueLayout queue, Target target, Edit edit, String user) {
		String id = Ids.check(edit.id());
		if (edit.known() == null || edit.text() == null) {
			throw new RefusedEditException(Reason.INVALID,
					"An edit needs the text as it was shown (known) and the new text (text)");
		}
		if (this.renderer.visibility() != PayloadVisibility.SHOWN) {
			throw new RefusedEditException(Reason.FORBIDDEN,
					"Payloads can be edited only where they are shown: see lowkiq.dashboard.payloads");
		}
		Shard shard = queue.shardOf(id);
		Payload payload = this.store.inspection()
			.find(shard, (target == Target.HELD) ? JobView.State.QUEUED : JobView.State.DEAD, id, 1)
			.flatMap((job) -> job.payloads().stream().findFirst())
			.orElseThrow(() -> gone(target, this.admin.status(queue.name(), id)));
		PayloadText shown = this.renderer.render(queue.name(), id, payload, Integer.MAX_VALUE);
		if (!edit.known().equals(shown.text())) {
			throw refused(target, EditResult.CHANGED);
		}
		byte[] replacement = bytes(shown, edit.text());
		LowkiqAdmin editor = this.admin.as(user);
		EditResult result = (target == Target.HELD) ? editor.editHeld(queue.name(), id, payload.bytes(), replacement)
				: editor.editDead(queue.name(), id, payload.bytes(), replacement);
		if (result != EditResult.EDITED) {
			throw refused(target, result);
		}
	}

	private byte[] bytes(PayloadText known, String text) {
		if (known.kind() != Kind.JSON && known.kind() != Kind.TEXT) {
			throw new RefusedEditException(Reason.INVALID, "Only payloads that are UTF-8 text can be edited");
		}
		int most = PayloadText.Renderer.MAX_FORMATTED;
		if (Math.max(known.bytes(), text.length()) > most) {
			throw new RefusedEditException(Reason.INVALID,
					String.format(Locale.ROOT, "A payload of more than %,d bytes can't be edited", most));
		}
		String stored = (known.kind() == Kind.JSON) ? this.renderer.compact(text) : text;
		if (stored == null) {
			throw new RefusedEditException(Reason.INVALID, "The new payload is not valid JSON");
		}
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(stored)) {
			throw new RefusedEditException(Reason.INVALID,
					"The new payload contains half of a character (a lone surrogate)");
		}
		return stored.getBytes(StandardCharsets.UTF_8);
	}

	private static RefusedEditException refused(Target target, EditResult result) {
		return switch (result) {
			case CHANGED -> new RefusedEditException(Reason.CHANGED, result.sentence() + " Nothing was saved.");
			case UNREADABLE -> new RefusedEditException(Reason.INVALID, result.sentence() + " Nothing was saved.");
			default -> gone(target, result.sentence());
		};
	}

	private static RefusedEditException gone(Target target, String now) {
		return new RefusedEditException(Reason.CHANGED, "The job is no longer %s. %s Nothing was saved."
			.formatted((target == Target.HELD) ? "on hold" : "dead", now));
	}

}

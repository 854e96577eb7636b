package io.lowkiq.dashboard;

import java.nio.charset.StandardCharsets;

import io.lowkiq.Ids;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.PayloadText.Kind;
import io.lowkiq.store.ChainedPayload;
import io.lowkiq.store.Payload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.JobView;

/**
 * Replaces the first payload of a job on hold by what a person has made of it.
 * Thread-safe.
 */
final class HeldPayloads {

	private final InspectableStore store;

	private final LowkiqAdmin admin;

	private final PayloadText.Renderer renderer;

	HeldPayloads(InspectableStore store, LowkiqAdmin admin, PayloadText.Renderer renderer) {
		this.admin = admin;
		this.store = store;
		this.renderer = renderer;
	}

	/**
	 * Replaces a payload.
	 * @param queue the queue
	 * @param edit the job, the text that the person has seen, and the new one
	 * @param user who asks
	 * @throws ApiException if the payload can't be edited, or is another one by now
	 */
	void edit(QueueLayout queue, Views.PayloadEdit edit, String user) {
		String id = Ids.check(edit.id());
		if (edit.known() == null || edit.text() == null) {
			throw ApiException.badRequest("An edit needs the known text and the new text");
		}
		if (this.renderer.visibility() != PayloadVisibility.SHOWN) {
			throw ApiException.forbidden("Only payloads that are shown can be edited: see lowkiq.dashboard.payloads");
		}
		Shard shard = queue.shardOf(id);
		Payload payload = this.store.inspection()
			.find(shard, JobView.State.QUEUED, id, 1)
			.flatMap((job) -> job.payloads().stream().findFirst())
			.orElseThrow(HeldPayloads::changed);
		PayloadText shown = this.renderer.render(queue.name(), id, payload, Integer.MAX_VALUE);
		if (!edit.known().equals(shown.text())) {
			throw changed();
		}
		byte[] replacement = new ChainedPayload(bytes(shown, edit.text()),
				ChainedPayload.parseLeniently(payload.bytes()).next())
			.toBytes();
		if (!this.admin.as(user).editHeld(queue.name(), id, payload.bytes(), replacement)) {
			throw changed();
		}
	}

	private byte[] bytes(PayloadText known, String text) {
		if (known.kind() != Kind.JSON && known.kind() != Kind.TEXT) {
			throw ApiException.badRequest("Only payloads that are UTF-8 text can be edited");
		}
		int most = PayloadText.Renderer.MAX_FORMATTED;
		if (Math.max(known.bytes(), text.length()) > most) {
			throw ApiException.badRequest("A payload of more than %,d bytes can't be edited".formatted(most));
		}
		String stored = (known.kind() == Kind.JSON) ? this.renderer.compact(text) : text;
		if (stored == null) {
			throw ApiException.badRequest("The new payload is not valid JSON");
		}
		return stored.getBytes(StandardCharsets.UTF_8);
	}

	private static ApiException changed() {
		return new ApiException(409,
				"The job is no longer on hold, or its first payload has changed. Nothing was saved.");
	}

}

package io.lowkiq.dashboard;

import java.nio.charset.StandardCharsets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.Ids;
import io.lowkiq.LogText;
import io.lowkiq.dashboard.PayloadText.Kind;
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

	private static final Logger logger = LoggerFactory.getLogger(HeldPayloads.class);

	private final InspectableStore store;

	private final PayloadText.Renderer renderer;

	HeldPayloads(InspectableStore store, PayloadText.Renderer renderer) {
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
		byte[] replacement = bytes(shown, edit.text());
		if (!this.store.actions().editHeld(shard, id, payload.bytes(), replacement)) {
			throw changed();
		}
		logger.info("User '{}' edited the first payload of a job on hold in queue '{}', id '{}'", LogText.of(user),
				queue.name(), LogText.of(id));
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

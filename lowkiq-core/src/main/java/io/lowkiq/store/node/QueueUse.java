package io.lowkiq.store.node;

/**
 * An application's use of a queue, by which others recognize that their payloads differ.
 * Its name is blank if it has none.
 */
public record QueueUse(String application, String payloadType) {

	/**
	 * Whether another application, by its name, expects other payloads: each would
	 * perform jobs of the other. Applications without a name are never foreign to any,
	 * since a deploy that renames a class looks the same.
	 */
	public boolean isForeignTo(QueueUse other) {
		return isNamed() && other.isNamed() && !this.application.equals(other.application)
				&& !this.payloadType.equals(other.payloadType);
	}

	/** Whether the application has a name. */
	public boolean isNamed() {
		return !this.application.isBlank();
	}

}

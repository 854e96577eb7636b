package io.lowkiq.store.inspection;

/** The result of an edit of the first payload of a job. */
public enum EditResult {

	EDITED("The first payload was edited."),

	/** The job has another first payload by now. */
	CHANGED("Its first payload has changed."),

	/** The next step of the payload can't be read, so it can't be kept. */
	UNREADABLE("The next step of its first payload can't be read, perhaps because a newer version wrote it."),

	/** The job is queued: not on hold, or not dead. */
	QUEUED("It is queued."),

	/** The job is being performed, or has been fetched. */
	BUSY("It is being performed."),

	/** The job is dead. */
	DEAD("It is dead."),

	/** The id has no job. */
	NONE("There is no job with this id.");

	private final String sentence;

	EditResult(String sentence) {
		this.sentence = sentence;
	}

	public String sentence() {
		return this.sentence;
	}

}

package io.lowkiq.dashboard;

/** How much of the payloads the dashboard shows. */
public enum PayloadVisibility {

	/** Payloads are shown as they are to users who are signed in, and to nobody else. */
	SIGNED_IN,

	/** Payloads are shown as they are. */
	SHOWN,

	/** Payloads are shown after a {@link PayloadMasker}. */
	MASKED,

	/** Only the size of a payload is shown. */
	HIDDEN

}

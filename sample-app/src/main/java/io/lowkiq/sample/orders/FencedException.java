package io.lowkiq.sample.orders;

/** Thrown when a writer whose lease has ended is refused by the database (I6). */
class FencedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	FencedException(String id, long token, long newer) {
		super("Order %s belongs to fencing token %s by now; this writer has %s".formatted(id, newer, token));
	}

}

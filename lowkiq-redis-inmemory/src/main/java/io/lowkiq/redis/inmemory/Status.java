package io.lowkiq.redis.inmemory;

/** A reply such as {@code OK}, which scripts see as a table. */
record Status(String text) {

	static final Status OK = new Status("OK");

}

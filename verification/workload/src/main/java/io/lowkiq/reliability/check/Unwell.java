package io.lowkiq.reliability.check;

/**
 * A time in which the health of a node was DOWN.
 *
 * @param process the node
 * @param from when that was seen
 * @param until when it was UP again, if ever
 */
record Unwell(String process, long from, long until) {
}

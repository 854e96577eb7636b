package io.lowkiq.dashboard.cluster;

/**
 * The error of most dead jobs of a queue.
 *
 * @param first when the first of all has died, in milliseconds since 1970
 * @param last when the last one has
 * @param key the kind of errors that most have
 * @param error its text
 * @param of how many have it
 * @param complete whether all dead jobs of the queue were read
 */
public record Deaths(long first, long last, String key, String error, long of, boolean complete) {
}

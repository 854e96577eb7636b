package io.lowkiq.dashboard.cluster;

/**
 * The most frequent error among the dead jobs of a queue.
 *
 * @param first when the first of all has died, in milliseconds since 1970
 * @param key the kind of that error
 * @param of how many of those that were read have it
 * @param complete whether all dead jobs of the queue were read
 */
public record Deaths(long first, long last, String key, String error, long of, boolean complete) {
}

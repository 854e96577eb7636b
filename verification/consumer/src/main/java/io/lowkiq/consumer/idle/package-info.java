/**
 * Two applications that do nothing, one with Redis and one with jobs, to compare what
 * they cost.
 */
@NullMarked
package io.lowkiq.consumer.idle;

import org.jspecify.annotations.NullMarked;

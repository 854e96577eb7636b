/**
 * Containers with a Redis that keeps only jobs.
 */
@NullMarked
package io.lowkiq.autoconfigure.redis.service;

import org.jspecify.annotations.NullMarked;

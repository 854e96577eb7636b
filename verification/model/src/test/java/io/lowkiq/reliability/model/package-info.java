/**
 * A model of the ownership of one shard, one of its follow-ups, and searches through all
 * that can happen in them.
 */
@NullMarked
package io.lowkiq.reliability.model;

import org.jspecify.annotations.NullMarked;

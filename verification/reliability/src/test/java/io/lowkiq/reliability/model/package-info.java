/**
 * A model of the ownership of one shard, and a search through all that can happen in it.
 */
@NullMarked
package io.lowkiq.reliability.model;

import org.jspecify.annotations.NullMarked;

/**
 * Which shards a node serves, and for which of them it fetches next.
 */
@NullMarked
package io.lowkiq.engine.schedule;

import org.jspecify.annotations.NullMarked;

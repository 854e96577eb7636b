/** The choice of the shards that a node serves, and of the shard to fetch from next. */
@NullMarked
package io.lowkiq.engine.schedule;

import org.jspecify.annotations.NullMarked;

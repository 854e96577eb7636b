/**
 * What people look at and change: the read side of a shard, and actions on its jobs. The
 * engine doesn't use it.
 */
@NullMarked
package io.lowkiq.store.inspection;

import org.jspecify.annotations.NullMarked;

/**
 * Health of nodes that come and go.
 */
@NullMarked
package io.lowkiq.reliability.health;

import org.jspecify.annotations.NullMarked;

/** Chains of jobs, while the nodes that perform them and Redis are killed. */
@NullMarked
package io.lowkiq.reliability.chain;

import org.jspecify.annotations.NullMarked;

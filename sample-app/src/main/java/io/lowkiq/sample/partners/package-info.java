/** Three partners that share the threads of one queue, one of them with far more jobs. */
@NullMarked
package io.lowkiq.sample.partners;

import org.jspecify.annotations.NullMarked;

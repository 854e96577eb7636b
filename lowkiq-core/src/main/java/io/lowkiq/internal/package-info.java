/** Text for logs: escaped ids, bounded stack traces, the logging context of a job. */
@NullMarked
package io.lowkiq.internal;

import org.jspecify.annotations.NullMarked;

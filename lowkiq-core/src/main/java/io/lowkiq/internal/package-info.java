/**
 * Text for logs: escaped ids, bounded stack traces, the logging context of a job. Used by
 * all of Lowkiq; not for applications. It knows no other package of Lowkiq.
 */
@NullMarked
package io.lowkiq.internal;

import org.jspecify.annotations.NullMarked;

/** The rules of the dashboard's packages. */
@NullMarked
package io.lowkiq.dashboard;

import org.jspecify.annotations.NullMarked;

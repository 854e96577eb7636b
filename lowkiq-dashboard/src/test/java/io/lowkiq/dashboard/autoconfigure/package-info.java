/** Tests of the dashboard's auto-configuration. */
@NullMarked
package io.lowkiq.dashboard.autoconfigure;

import org.jspecify.annotations.NullMarked;

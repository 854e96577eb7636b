/** Tests of the dashboard over HTTP and in a browser. */
@NullMarked
package io.lowkiq.dashboard.web;

import org.jspecify.annotations.NullMarked;

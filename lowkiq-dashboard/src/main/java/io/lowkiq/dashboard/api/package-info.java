/**
 * The JSON API: understands requests, answers with documents, and puts together what that
 * needs. Used by {@code http} and the auto-configuration. It knows no web framework and
 * no headers.
 */
@NullMarked
package io.lowkiq.dashboard.api;

import org.jspecify.annotations.NullMarked;

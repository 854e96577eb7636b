/**
 * What an application imports: workers, the client, requests, interceptors, extension
 * points and exceptions. Everything else of the library builds on this package; this
 * package builds on nothing of the library.
 */
@NullMarked
package io.lowkiq;

import org.jspecify.annotations.NullMarked;

/**
 * The application's API: workers, the client, requests, interceptors, extension points
 * and exceptions. All other packages may use it. It knows nothing of the client, the
 * engine or the storage.
 */
@NullMarked
package io.lowkiq;

import org.jspecify.annotations.NullMarked;

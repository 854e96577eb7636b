/** The Actuator endpoint of the server and the queues. */
@NullMarked
package io.lowkiq.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;

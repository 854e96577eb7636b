/** The auto-configuration of the client and the server in a Spring Boot application. */
@NullMarked
package io.lowkiq.autoconfigure;

import org.jspecify.annotations.NullMarked;

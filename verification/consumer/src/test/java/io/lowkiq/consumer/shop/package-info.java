/**
 * An application of users, which may have another Spring Boot than Lowkiq was built with.
 */
@NullMarked
package io.lowkiq.consumer.shop;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.lowkiq.autoconfigure.redis.service;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.lowkiq.test.repository;

import org.jspecify.annotations.NullMarked;

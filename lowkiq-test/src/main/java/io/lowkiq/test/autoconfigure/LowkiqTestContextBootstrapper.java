package io.lowkiq.test.autoconfigure;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Bootstraps the context of a {@link LowkiqTest}.
 */
class LowkiqTestContextBootstrapper extends TestSliceTestContextBootstrapper<LowkiqTest> {

}

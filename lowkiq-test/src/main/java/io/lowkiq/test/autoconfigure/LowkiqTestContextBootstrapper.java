package io.lowkiq.test.autoconfigure;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

class LowkiqTestContextBootstrapper extends TestSliceTestContextBootstrapper<LowkiqTest> {

}

package io.lowkiq.kotlin

import io.lowkiq.testing.TestRedis
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.readText

/** An application with groups, a schedule and an outbox that was compiled ahead of time performs its jobs. */
class AotIntegrationTests {

    @Test
    fun `performs grouped jobs of a transaction and a schedule`(@TempDir directory: Path) {
        val output = directory.resolve("output")
        val process = ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Dspring.aot.enabled=true",
            "-cp", System.getProperty("java.class.path"), "io.lowkiq.kotlin.aot.AotApplicationKt",
            "--spring.data.redis.url=" + TestRedis.shared().url(), "--lowkiq.key-prefix=" + TestRedis.uniquePrefix(),
            "--lowkiq.workers.orders.group.concurrency=1"
        ).redirectErrorStream(true).redirectOutput(output.toFile()).start()
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).`as` { output.readText() }.isTrue()
            assertThat(output).content().contains(
                "Starting AOT-processed AotApplication", "PERFORMED Order(total=Cents(value=5), number=4000000000, urgent=false)",
                "PERFORMED Order(total=Cents(value=7), number=2, urgent=false)", "PERFORMED Report(day=monday)"
            )
            assertThat(process.exitValue()).isZero()
        } finally {
            process.destroyForcibly()
        }
    }

}

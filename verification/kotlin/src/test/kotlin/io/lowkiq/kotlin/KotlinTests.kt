package io.lowkiq.kotlin

import io.lowkiq.LowkiqClient
import io.lowkiq.LowkiqWorker
import io.lowkiq.PayloadCodec
import io.lowkiq.Worker
import io.lowkiq.WorkerRegistry
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration
import io.lowkiq.redis.RedisStore
import io.lowkiq.redis.inmemory.InMemoryRedis
import io.lowkiq.test.LowkiqTester
import io.lowkiq.test.autoconfigure.LowkiqTestAutoConfiguration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import java.nio.file.Files
import java.nio.file.Path
import java.time.InstantSource

class KotlinTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration::class.java, LowkiqClientAutoConfiguration::class.java, LowkiqServerAutoConfiguration::class.java, LowkiqTestAutoConfiguration::class.java))
        .withPropertyValues("lowkiq.test.mode=MANUAL", "lowkiq.server.enabled=false")
        .withBean(Mailbox::class.java)

    @Test
    fun `data classes are payloads and lambdas are workers`() {
        runner.withUserConfiguration(MailWorker::class.java, Reminders::class.java).run { context ->
            val client = context.getBean(LowkiqClient::class.java)
            client.enqueue(MailWorker::class.java, "ann", Mail("ann", "Hello", urgent = true))
            client.enqueue("reminders", "ben", Mail("ben", "Pay"))
            context.getBean(LowkiqTester::class.java).drain()
            assertThat(context.getBean(Mailbox::class.java).sent)
                .containsExactlyInAnyOrder(Mail("ann", "Hello", urgent = true), Mail("ben", "Pay"))
            assertThat(context.getBean(WorkerRegistry::class.java).ofQueue("reminders").orElseThrow().payloadType())
                .isEqualTo(Mail::class.java)
        }
    }

    @Test
    fun `a property that is missing has its default`() {
        runner.withUserConfiguration(MailWorker::class.java).run { context ->
            val codec = context.getBean(PayloadCodec::class.java)
            assertThat(codec.decode("""{"to":"ann","text":"Hello"}""".toByteArray(), Mail::class.java))
                .isEqualTo(Mail("ann", "Hello", urgent = false))
        }
    }

    @Test
    fun `value classes and unsigned numbers are read by a run`() {
        runner.withUserConfiguration(InvoiceWorker::class.java).run { context ->
            context.getBean(LowkiqClient::class.java).enqueue("invoices", "1", Invoice(Cents(5), 4_000_000_000u))
            context.getBean(LowkiqTester::class.java).drain()
            assertThat(context.getBean(InvoiceWorker::class.java).seen).containsExactly(Invoice(Cents(5), 4_000_000_000u))
        }
    }

    @Test
    fun `a worker may be transactional`() {
        runner.withUserConfiguration(Transactions::class.java, BookingWorker::class.java).run { context ->
            assertThat(context).hasNotFailed()
            assertThat(context.getBean(WorkerRegistry::class.java).ofQueue("bookings")).isPresent()
        }
    }

    @Test
    fun `a suspend function is refused with a reason`() {
        runner.withUserConfiguration(SuspendingWorker::class.java).run { context ->
            assertThat(context.startupFailure).hasStackTraceContaining("SuspendingWorker")
                .hasStackTraceContaining("is a suspend function")
        }
        runner.withUserConfiguration(BothWorker::class.java).run { context ->
            assertThat(context.startupFailure).hasStackTraceContaining("is a suspend function")
        }
    }

    @Test
    fun `the documentation shows what is compiled here`() {
        val source = Files.readString(Path.of("src/test/kotlin/io/lowkiq/kotlin/Mails.kt"))
        val region = source.substringAfter("// tag::kotlin[]\n").substringBefore("// end::kotlin[]")
        assertThat(Path.of("../../docs/reference.md")).content().contains("```kotlin\n$region```")
    }

    @JvmInline
    value class Cents(val value: Int)

    data class Invoice(val total: Cents, val number: UInt)

    @LowkiqWorker("invoices")
    class InvoiceWorker : Worker<Invoice> {

        /** Written and read by the test's thread. */
        val seen = mutableListOf<Invoice>()

        override fun perform(id: String, payloads: List<Invoice>) {
            seen += payloads
        }

    }

    @EnableTransactionManagement(proxyTargetClass = true)
    class Transactions

    @LowkiqWorker("bookings")
    class BookingWorker : Worker<Mail> {

        @Transactional
        override fun perform(id: String, payloads: List<Mail>) = Unit

    }

    @LowkiqWorker("suspending")
    class SuspendingWorker {

        @Suppress("unused", "RedundantSuspendModifier", "UNUSED_PARAMETER")
        suspend fun perform(id: String, payloads: List<Mail>) = Unit

    }

    @LowkiqWorker("both")
    class BothWorker : Worker<Mail> {

        override fun perform(id: String, payloads: List<Mail>) = Unit

        @Suppress("unused", "RedundantSuspendModifier", "UNUSED_PARAMETER")
        suspend fun perform(id: String, payloads: Collection<Mail>) = Unit

    }

}

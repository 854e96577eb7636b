package io.lowkiq.kotlin.aot

import io.lowkiq.LowkiqClient
import io.lowkiq.LowkiqSchedule
import io.lowkiq.LowkiqWorker
import io.lowkiq.Worker
import org.springframework.boot.ApplicationRunner
import org.springframework.boot.SpringApplication
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.transaction.support.TransactionTemplate
import java.time.Instant
import java.util.concurrent.BlockingQueue
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess

/** Enqueues orders of two customers in a transaction, prints them and a report of the schedule when they ran, and ends. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AotApplication {

    @Bean
    fun performed(): BlockingQueue<Any> = LinkedBlockingQueue()

    @Bean
    fun orderWorker(performed: BlockingQueue<Any>) = OrderWorker(performed)

    @Bean
    fun reportWorker(performed: BlockingQueue<Any>) = ReportWorker(performed)

    @Bean
    fun orders(client: LowkiqClient, transaction: TransactionTemplate, performed: BlockingQueue<Any>) = ApplicationRunner {
        transaction.executeWithoutResult {
            client.enqueue(OrderWorker::class.java, "acme:1", Order(Cents(5), 4_000_000_000u))
            client.enqueue(OrderWorker::class.java, "zoo:2", Order(Cents(7), 2u))
            check(performed.none { it is Order }) { "performed before the commit" }
        }
        val runs = mutableListOf<Any>()
        while (runs.count { it is Order } < 2 || runs.none { it is Report }) {
            runs += performed.poll(30, TimeUnit.SECONDS) ?: error("performed only $runs")
        }
        runs.forEach { println("PERFORMED $it") }
    }

}

fun main(arguments: Array<String>): Unit =
    exitProcess(SpringApplication.exit(SpringApplication.run(AotApplication::class.java, *arguments)))

@JvmInline
value class Cents(val value: Int)

data class Order(val total: Cents, val number: UInt, val urgent: Boolean = false)

data class Report(val day: String)

@LowkiqWorker(queue = "orders", groupSeparator = ":", oneShardPerGroup = true)
class OrderWorker(private val performed: BlockingQueue<Any>) : Worker<Order> {

    override fun perform(id: String, payloads: List<Order>) {
        performed.addAll(payloads)
    }

}

@LowkiqWorker("reports")
@LowkiqSchedule(id = "each-second", cron = "* * * * * *")
class ReportWorker(private val performed: BlockingQueue<Any>) : Worker<Report> {

    override fun payloadAt(schedule: String, time: Instant) = Report("monday")

    override fun perform(id: String, payloads: List<Report>) {
        performed.addAll(payloads)
    }

}

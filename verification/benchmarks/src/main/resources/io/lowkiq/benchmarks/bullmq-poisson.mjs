// Jobs that arrive independently of each other, some of them slow, performed by BullMQ.
// Does what PoissonLoad does, with the same parameters and the same arrivals.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import IORedis from 'ioredis';

const parameters = Object.fromEntries(process.argv.slice(1).map((argument) => argument.split('=')));
const number = (name) => Number(parameters[name]);
const clock = () => Number(process.hrtime.bigint()) / 1e9;
const print = (line) => writeSync(1, line + '\n');

// The generator and its use are those of the class Arrivals
let state = number('seed') | 0;
function next() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const arrivals = [];
let at = 0;
for (let i = 0; i < number('rate') * number('seconds'); i++) {
  at -= Math.log(1 - next()) / number('rate');
  arrivals.push({ at, slow: next() < number('slow-per-mille') / 1000 });
}

const before = number('jobs-before');
const total = before + arrivals.length;
const started = new Float64Array(total);
const taken = new Float64Array(total);
let done = 0;

const connection = new IORedis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
await connection.flushdb();
const queue = new Queue('poisson', { connection, defaultJobOptions: { removeOnComplete: true } });
await queue.waitUntilReady();
const worker = new Worker('poisson', async (job) => {
  taken[job.data.id] = clock() - started[job.data.id];
  await sleep(job.data.millis);
  done++;
}, { connection, concurrency: number('threads') });
await worker.waitUntilReady();
await sleep(3000);

function enqueue(id, millis) {
  started[id] = clock();
  return queue.add('b', { id, millis }, { jobId: `j${id}` });
}

async function untilDone(count) {
  while (done < count) await sleep(10);
}

for (let i = 0; i < before; i++) {
  await enqueue(i, 1);
  await sleep(1);
}
await untilDone(before);

print('MARK load');
const start = clock();
let late = 0;
const calls = [];
for (let i = 0; i < arrivals.length; i++) {
  const due = start + arrivals[i].at;
  while (clock() < due) await sleep(Math.max(1, (due - clock()) * 1000));
  late = Math.max(late, clock() - due);
  calls.push(enqueue(before + i, arrivals[i].slow ? 1000 : 1));
}
await Promise.all(calls);
await untilDone(total);
print(`RESULT load_s ${clock() - start}`);
print('MARK loaded');
print(`RESULT load_jobs ${arrivals.length}`);
print(`RESULT late_ms ${late * 1000}`);
const sorted = taken.slice(before).sort();
for (const [name, percent] of [['p50', 50], ['p95', 95], ['p99', 99], ['max', 100]]) {
  print(`RESULT ${name}_ms ${sorted[Math.max(0, Math.floor((sorted.length * percent) / 100) - 1)] * 1000}`);
}
print('MARK end');
await sleep(500); // lets the suite read this process before it is gone
process.exit(0);

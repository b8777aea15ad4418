import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';
import { Queue, QueueEvents } from 'bullmq';

// What one writes first, half one: the whole email goes into a job, whose end is the answer. There is no database: what
// Redis loses is lost, and nothing is known of an email later.
const connection = { url: process.env.REDIS_URL };
const queue = new Queue('bare', { connection });
const ends = new QueueEvents('bare', { connection });
for (const emitter of [queue, ends]) emitter.setMaxListeners(0);
await ends.waitUntilReady();

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'GET') return response.end('ready');
    send(JSON.parse(Buffer.concat(chunks).toString())).then(
      (answer) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

async function send(email) {
  // Kept for a while: the wait for a job that is gone fails.
  const job = await queue.add('send', email, { removeOnComplete: 1000 });
  return job.waitUntilFinished(ends);
}

import process from 'node:process';
import { Queue, QueueEvents } from 'bullmq';
import { servePosts } from './json-posts.mjs';

// What one writes first, half one: the whole email goes into a job, whose end is the answer. There is no database: what
// Redis loses is lost, and nothing is known of an email later.
const connection = { url: process.env.REDIS_URL };
const queue = new Queue('bare', { connection });
const ends = new QueueEvents('bare', { connection });
for (const emitter of [queue, ends]) emitter.setMaxListeners(0);
await ends.waitUntilReady();

servePosts(send);

async function send(email) {
  // Kept for a while: the wait for a job that is gone fails.
  const job = await queue.add('send', email, { removeOnComplete: 1000 });
  return job.waitUntilFinished(ends);
}

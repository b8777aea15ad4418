import process from 'node:process';
import { Queue, QueueEvents } from 'bullmq';
import { servePosts } from './json-posts.mjs';

// The simplest implementation, first half: it puts the whole email into a job and responds when the job has ended. It
// has no database: what Redis loses is lost, and the state of an email cannot be read later.
const connection = { url: process.env.REDIS_URL };
const queue = new Queue('bare', { connection });
const ends = new QueueEvents('bare', { connection });
for (const emitter of [queue, ends]) emitter.setMaxListeners(0);
await ends.waitUntilReady();

servePosts(send);

async function send(email) {
  // Completed jobs are kept for a while, because waiting for a removed job fails.
  const job = await queue.add('send', email, { removeOnComplete: 1000 });
  return job.waitUntilFinished(ends);
}

import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';
import { ThreadPool } from '../../src/rendering/thread-pool.js';

const ORGANIZATION = { organizationId: 'one', mayBeRefused: true };

/** Keeps this thread from running timers and from reading results. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('reports a document that becomes too long for the engine as one over a limit', async () => {
  const limits = { timeLimitMs: 30_000, memoryLimitMb: 256, maxThreads: 1, maxWaiting: 1 };
  const pool = new ThreadPool(new URL('./test-thread.mjs', import.meta.url), limits);
  const growing = pool.run('growTooLong', {}, 1, ORGANIZATION);
  await expect(growing).rejects.toThrow(new RenderingLimitError('is nested too deeply or becomes too long'));
  await pool.close();
});

it('returns the result of a task that ended within its limit, however late this thread reads it', async () => {
  const limits = { timeLimitMs: 1_000, memoryLimitMb: 256, maxThreads: 1, maxWaiting: 1 };
  const pool = new ThreadPool(new URL('./test-thread.mjs', import.meta.url), limits);
  await pool.run('endAtOnce', {}, 1, ORGANIZATION);
  const ended = pool.run('endAtOnce', {}, 1, ORGANIZATION);
  // One turn of the event loop gives the task to its thread.
  await new Promise(setImmediate);
  block(1_500);
  await expect(ended).resolves.toBe('done');
  await pool.close();
});

import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';
import { ThreadPool } from '../../src/rendering/thread-pool.js';

it('reports a document that becomes too long for the engine as one over a limit', async () => {
  const limits = { timeLimitMs: 30_000, memoryLimitMb: 256, maxThreads: 1, maxWaiting: 1 };
  const pool = new ThreadPool(new URL('./failing-thread.mjs', import.meta.url), limits);
  const growing = pool.run('growTooLong', {}, 1, { organizationId: 'one', mayBeRefused: true });
  await expect(growing).rejects.toThrow(new RenderingLimitError('is nested too deeply or becomes too long'));
  await pool.close();
});

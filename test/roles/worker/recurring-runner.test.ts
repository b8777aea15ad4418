import { pino } from 'pino';
import type { RecurringJob } from '../../../src/platform/queue/jobs.js';
import type { RecurringRuns } from '../../../src/platform/queue/recurring-runs.js';
import type { WorkListener } from '../../../src/platform/queue/work-notifications.js';
import type { RecurringHandlers } from '../../../src/roles/worker/recurring-handlers.js';
import { RecurringRunner } from '../../../src/roles/worker/recurring-runner.js';
import { eventually } from '../../support/eventually.js';

const JOB = 'keep-events' satisfies RecurringJob;
const NEVER_MS = 3_600_000;

/** A runner whose job is due as often as requested. It records whose runs have ended. */
function runnerOf(work: (stop: AbortSignal) => Promise<void>) {
  const ended: RecurringJob[] = [];
  let [requested, wake] = [1, (): void => undefined];
  const runs = {
    takeDue: () => Promise.resolve({ due: requested > 0 && requested-- ? [JOB] : [], nextInMs: NEVER_MS }),
    end: (job: RecurringJob) => Promise.resolve(void ended.push(job)),
  };
  const listener = { on: (_: string, listen: () => void) => (wake = listen), stop: () => undefined };
  const runner = new RecurringRunner(
    { handlers: { [JOB]: work } } as unknown as RecurringHandlers,
    runs as unknown as RecurringRuns,
    listener as unknown as WorkListener,
    pino({ level: 'silent' }),
  );
  const requestAgain = async (): Promise<void> => {
    requested++;
    wake();
    await eventually(() => requested === 0);
  };
  return { runner, ended, requestAgain };
}

it('a job that is requested during its own run runs once more, however often it was requested', async () => {
  let [begun, release] = [0, (): void => undefined];
  const released = new Promise<void>((resolve) => (release = resolve));
  const { runner, ended, requestAgain } = runnerOf(() => (begun++, released));
  runner.onApplicationBootstrap();
  await eventually(() => begun === 1);
  await requestAgain();
  await requestAgain();
  expect(begun).toBe(1);
  release();
  await eventually(() => ended.length > 0);
  expect(begun).toBe(2);
  await runner.onModuleDestroy();
  expect(ended).toEqual([JOB]);
});

it('a run that a stop interrupts does not count as ended, so that another process repeats it', async () => {
  let begun = false;
  const { runner, ended } = runnerOf((stop) => {
    begun = true;
    return new Promise((resolve) => stop.addEventListener('abort', () => resolve()));
  });
  runner.onApplicationBootstrap();
  await eventually(() => begun);
  await runner.onModuleDestroy();
  expect(ended).toEqual([]);
});

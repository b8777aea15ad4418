import type { Clock } from '../../../../src/platform/clock/clock.js';
import { insertBacklog, insertOrganization } from '../../../support/backlog.js';
import { eventually } from '../../../support/eventually.js';
import { TestService } from '../../../support/service.js';

const SLOTS = 12;
/** A job that Redis did not accept in time is found missing after 15 s and dispatched again within another 15 s. */
const RECOVERY_TIMEOUT_MS = 45_000;

/**
 * A provider with simulated time, which the service uses as its clock: the load of this machine does not change the
 * throughput that the service measures.
 */
class SimulatedProvider implements Clock {
  elapsedMs = 0;
  private readonly begunAt = Date.now();
  private readonly calls: (() => void)[] = [];
  private isOver = false;

  now(): number {
    return this.begunAt + this.elapsedMs;
  }

  get inProgress(): number {
    return this.calls.length;
  }

  /** Starts a call; resolves when it ends. */
  call(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => this.calls.push(resolve));
  }

  /** Ends all calls, and later ones at once. */
  endAll(): void {
    this.isOver = true;
    this.end(this.calls.length, 0);
  }

  /** Ends the oldest calls after this time. */
  end(calls: number, afterMs: number): void {
    this.elapsedMs += afterMs;
    for (const resolve of this.calls.splice(0, calls)) resolve();
  }
}

let service: TestService;
let provider: SimulatedProvider;

beforeEach(async () => {
  provider = new SimulatedProvider();
  const environment = { WORKER_CONCURRENCY: String(SLOTS), DELIVERY_TIMEOUT_MS: '60000' };
  service = await TestService.start({ environment, clock: provider });
  service.mailServer.scripts.add('reader@example.com', {
    phase: 'dot',
    get after() {
      return provider.call();
    },
  });
});
afterEach(async () => {
  provider.endAll(); // A worker that stops waits for its calls.
  await service?.stop();
});

async function limit(): Promise<number> {
  const reading = await service.metrics.getSingleMetric('mailbeacon_provider_call_limit')!.get();
  return reading.values[0]!.value;
}

/**
 * Delivers a backlog. Each time as many calls are in progress as the worker allows, `end` ends some of them.
 * @returns how many calls were in progress each time
 */
async function deliver(emails: number, end: (inProgress: number) => void): Promise<number[]> {
  await insertBacklog(service.database, await insertOrganization(service.database), emails);
  const inProgress: number[] = [];
  for (let ended = 0; ended < emails;) {
    await eventually(async () => provider.inProgress >= Math.min(await limit(), emails - ended), RECOVERY_TIMEOUT_MS);
    inProgress.push(provider.inProgress);
    end(provider.inProgress);
    ended += inProgress.at(-1)! - provider.inProgress;
  }
  return inProgress;
}

async function leases(): Promise<number> {
  const [row] = await service.database.query<{ leases: number }>(
    'select count(*)::integer as leases from pending_emails where lease_token is not null',
  );
  return row!.leases;
}

it('limits calls to a provider that processes one at a time, and claims no more emails than the limit', async () => {
  const leasesSeen: Promise<number>[] = [];
  const inProgress = await deliver(350, () => {
    if (provider.elapsedMs > 30_000) leasesSeen.push(leases());
    provider.end(1, 100);
  });
  expect(inProgress[0]).toBe(SLOTS);
  // The limit is sometimes two.
  expect(Math.max(...inProgress.slice(280))).toBeLessThanOrEqual(2);
  expect(Math.max(...(await Promise.all(leasesSeen)))).toBeLessThanOrEqual(3);
  await eventually(async () => (await leases()) === 0);
  expect(await limit()).toBeLessThanOrEqual(SLOTS);
  expect(service.mailServer.messages).toHaveLength(350);
});

it('keeps the throughput of a provider that processes any number of calls at a time', async () => {
  const emails = 50 * SLOTS;
  const inProgress = await deliver(emails, (calls) => provider.end(calls, 200));
  // The limit was sometimes lower.
  expect(Math.min(...inProgress)).toBe(8);
  expect(provider.elapsedMs).toBeLessThanOrEqual(1.05 * 50 * 200);
  expect(service.mailServer.messages).toHaveLength(emails);
});

import { pino } from 'pino';
import type { RunSettings } from '../../../src/platform/config/settings.js';
import type {
  ClaimedWebhookDelivery,
  DueDeliveries,
  FreeSlots,
} from '../../../src/webhooks/delivery/claim-deliveries.js';
import type { WebhookAttempter } from '../../../src/webhooks/delivery/webhook-attempter.js';
import { WebhookDispatcher } from '../../../src/webhooks/delivery/webhook-dispatcher.js';
import { eventually } from '../../support/eventually.js';

const settings = { WEBHOOK_CONCURRENCY: 4 } as RunSettings;
const delivery = (id: string): ClaimedWebhookDelivery =>
  ({ id, endpointId: id, unhealthy: false }) as ClaimedWebhookDelivery;

/** An endless backlog of due deliveries, each attempted instantly. */
class Backlog {
  readonly statements: string[] = [];
  readonly woken: string[][] = [];
  readonly attempted: string[] = [];
  isEndless = true;
  failing = false;
  /** Duration of a claim of all due deliveries. */
  look: () => Promise<unknown> = () => new Promise((resolve) => setTimeout(resolve, 30));

  readonly dispatcher = new WebhookDispatcher(
    this as unknown as DueDeliveries,
    this as unknown as WebhookAttempter,
    settings,
    pino({ level: 'silent' }),
  );

  async claimDue({ healthy }: FreeSlots): Promise<ClaimedWebhookDelivery[]> {
    this.statements.push('look');
    await this.look();
    if (!this.isEndless) return [];
    return Array.from({ length: healthy }, (_, n) => delivery(`due-${this.statements.length}-${n}`));
  }

  claimWoken(ids: string[]): Promise<ClaimedWebhookDelivery[]> {
    this.statements.push('woken');
    this.woken.push(ids);
    if (this.failing) return Promise.reject(new Error('Postgres is down'));
    return new Promise((resolve) => setImmediate(() => resolve(ids.map(delivery))));
  }

  attempt({ id }: ClaimedWebhookDelivery): Promise<boolean> {
    this.attempted.push(id);
    return Promise.resolve(true);
  }
}

let backlog: Backlog;
beforeEach(() => {
  backlog = new Backlog();
});
afterEach(async () => {
  backlog.isEndless = false;
  await backlog.dispatcher.onModuleDestroy();
});

const checks = (): number => backlog.statements.filter((kind) => kind === 'look').length;

describe('a woken delivery', () => {
  it('waits for at most one claim while the worker processes a backlog without a pause', async () => {
    backlog.dispatcher.sweep();
    await eventually(() => checks() >= 3);
    for (const id of ['a', 'b', 'c']) {
      const before = checks();
      await backlog.dispatcher.wake(id);
      expect(checks() - before).toBeLessThanOrEqual(1);
      expect(backlog.attempted).toContain(id);
    }
    await eventually(() => checks() >= 8);
  });

  it('shares its claim with deliveries woken at the same time, even repeated ones', async () => {
    await Promise.all(['a', 'b', 'a'].map((id) => backlog.dispatcher.wake(id)));
    expect(backlog.woken).toEqual([['a', 'b']]);
  });

  it('is left to the sweep when it cannot be claimed, and its job ends', async () => {
    backlog.failing = true;
    await backlog.dispatcher.wake('a');
    expect(backlog.attempted).toEqual([]);
  });

  it('does not delay other due deliveries', async () => {
    backlog.isEndless = false;
    let waking = true;
    const wakes = (async () => {
      for (let n = 0; waking; n++) await Promise.all([n, -n].map((id) => backlog.dispatcher.wake(`${id}`)));
    })();
    await eventually(() => backlog.woken.length > 5);
    backlog.dispatcher.sweep();
    await eventually(() => checks() === 1);
    waking = false;
    await wakes;
  });

  it('is released when its worker stops', async () => {
    let look = (): void => undefined;
    backlog.look = () => new Promise<void>((resolve) => (look = resolve));
    backlog.dispatcher.sweep();
    await eventually(() => checks() === 1);
    const wake = backlog.dispatcher.wake('a');
    const stopped = backlog.dispatcher.onModuleDestroy();
    look();
    await Promise.all([wake, stopped]);
    expect(backlog.attempted).not.toContain('a');
  });
});

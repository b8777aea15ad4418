import type { JobProducer } from '../../../src/platform/queue/job-producer.js';
import type { ClaimedWebhookDelivery } from '../../../src/webhooks/delivery/claim-deliveries.js';
import type {
  WebhookAttemptLog,
  Consequence,
  WebhookSettlement,
} from '../../../src/webhooks/delivery/webhook-settlement.js';
import type { WebhookMetrics } from '../../../src/webhooks/delivery/webhook-metrics.js';
import { WebhookOutcomes } from '../../../src/webhooks/delivery/webhook-outcomes.js';
import type { RequestResult } from '../../../src/webhooks/delivery/webhook-requests.js';
import { NO_LISTENERS } from '../../support/no-listeners.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The result of a response, and the delays of the jobs that it creates. */
async function settle(kind: RequestResult['kind'], retryAfterMs: number, retries = 0, isTest = false) {
  const consequences: Consequence[] = [];
  const wakes: number[] = [];
  const settlement = {
    failed: (_d: ClaimedWebhookDelivery, _a: WebhookAttemptLog, consequence: Consequence) => {
      consequences.push(consequence);
      return Promise.resolve({ attempt: retries + 1, disabled: null });
    },
  } as unknown as WebhookSettlement;
  const producer = {
    add: (_: string, { delayMs }: { delayMs: number }) => Promise.resolve(void wakes.push(delayMs)),
  } as unknown as JobProducer;
  const metrics = { record: () => undefined } as unknown as WebhookMetrics;
  const result = { kind, attempt: { durationMs: 1 } as WebhookAttemptLog, retryAfterMs };
  await new WebhookOutcomes(settlement, producer, metrics, NO_LISTENERS).settle(
    { id: 'd', retries, isTest } as ClaimedWebhookDelivery,
    result,
  );
  return { ...consequences[0]!, wakes };
}

describe('a receiver that sends Retry-After', () => {
  it.each([
    [30 * SECOND, 30 * SECOND],
    [HOUR, HOUR],
    [HOUR + 1, HOUR],
    [DAY, HOUR],
  ])('of %d ms has its endpoint paused for %d ms', async (askedMs, pauseMs) => {
    expect((await settle('failed', askedMs)).pauseMs).toBe(pauseMs);
  });

  it('gets the refused delivery no sooner than that', async () => {
    expect((await settle('failed', DAY)).retryInMs).toBeGreaterThanOrEqual(DAY);
  });

  it('pauses no endpoint with a Retry-After of 0', async () => {
    expect((await settle('failed', 0)).pauseMs).toBe(0);
  });
});

describe('a retry', () => {
  it('within a minute has its own job; a later one is left to the sweep', async () => {
    const soon = await settle('failed', 0);
    expect(soon.wakes).toEqual([soon.retryInMs]);
    expect((await settle('failed', HOUR)).wakes).toEqual([]);
  });

  it('is not scheduled for a test event', async () => {
    expect(await settle('failed', 0, 0, true)).toMatchObject({ retryInMs: undefined, gone: false, wakes: [] });
  });

  it('is not scheduled for a receiver that responds with 410', async () => {
    expect(await settle('gone', 0)).toMatchObject({ retryInMs: undefined, gone: true, wakes: [] });
  });
});

import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { Postponement } from '../../../src/emails/delivery/delivery-policy.js';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { DeliveryNotifier } from '../../../src/emails/delivery/delivery-notifier.js';
import { DeliverySettlement, type DeliveryAttempt } from '../../../src/emails/delivery/delivery-settlement.js';
import type { Database } from '../../../src/platform/database/database.js';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-03-04T05:06:07.000Z');

let postponed: Postponement[];
let ended: string[];
let settlement: DeliverySettlement;

beforeEach(() => {
  [postponed, ended] = [[], []];
  const state: Pick<DeliveryState, 'postpone' | 'markSent' | 'markFailed'> = {
    postpone: (_, postponement) => Promise.resolve(postponed.push(postponement) > 0),
    markSent: () => Promise.resolve(ended.push('sent') > 0 ? [] : undefined),
    markFailed: (_, reason) => Promise.resolve(ended.push(reason) > 0 ? [] : undefined),
  };
  const announcer = { sent: () => Promise.resolve(), failed: () => Promise.resolve() };
  settlement = new DeliverySettlement(
    {} as Database,
    state as DeliveryState,
    announcer as unknown as DeliveryNotifier,
    { AMBIGUOUS_SEND: 'hold', AMBIGUOUS_RESEND_AFTER_MS: 0 },
    { now: () => NOW },
  );
});

/** Records the first attempt of an email that was first claimed this many hours ago. */
function settle(outcome: DeliveryOutcome, triedHoursAgo = 0): Promise<boolean> {
  // By the clock of this worker, the email is much older.
  const [createdAt, triedForMs] = [new Date(NOW - 1_000 * HOUR_MS), triedHoursAgo * HOUR_MS];
  const email = { id: 'e', trackingId: 't', reached: false, proven: [], createdAt, triedForMs, message: {} };
  const attempt: DeliveryAttempt = {
    email: email as unknown as LoadedEmail,
    lease: { emailId: 'e', token: 'l' },
    attempt: 1,
    urls: [],
    waitingInstance: undefined,
  };
  return settlement.settle(attempt, outcome, settlement.now());
}

const deferred: DeliveryOutcome = {
  kind: 'accepted',
  providerId: 'p',
  recipients: [{ address: 'slow@example.com', state: 'deferred' }],
};

it('retries deferred recipients for 24 hours, then counts the email as sent', async () => {
  await settle(deferred, 23);
  expect([postponed.length, ended]).toEqual([1, []]);
  await settle(deferred, 25);
  expect([postponed.length, ended]).toEqual([1, ['sent']]);
});

it('never retries sooner than the provider allows', async () => {
  for (let run = 0; run < 20; run++) await settle({ kind: 'retry', reason: 'busy', afterMs: 600_000 });
  expect(Math.min(...postponed.map(({ delayMs }) => delayMs))).toBeGreaterThanOrEqual(600_000);
});

it.each([
  ['a refused credential', { kind: 'credential-refused', reason: 'wrong key' }, 60_000],
  ['throttling', { kind: 'throttled', reason: 'wrong key', pauseMs: 5_000 }, 5_000],
] as const)('%s holds the email, which fails after 24 hours', async (_, outcome, delayMs) => {
  await settle(outcome, 23);
  expect(postponed).toEqual([{ kind: 'retry', reason: 'wrong key', delayMs, countsAsAttempt: false }]);
  await settle(outcome, 25);
  expect([postponed.length, ended]).toEqual([1, ['wrong key']]);
});

it('fails an email at once when its sender is refused', async () => {
  await settle({ kind: 'refused', reason: 'not your address', about: 'sender' });
  expect([postponed, ended]).toEqual([[], ['not your address']]);
});

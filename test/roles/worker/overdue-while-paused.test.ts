import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import { pino } from 'pino';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { DeliverEmail } from '../../../src/emails/delivery/deliver-email.js';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';

const HOUR_MS = 3_600_000;

/** The outcome for an email of this age that was queued this many hours ago, while the provider is paused. */
async function outcomeOf(hoursOld: number, hoursQueued = hoursOld, status = 'queued', dueInMs = 0) {
  const outcomes: unknown[] = [];
  let finds = 0;
  const email = { status, dueInMs, queuedForMs: hoursQueued * HOUR_MS };
  const emails: Pick<EmailLoader, 'find'> = {
    find: () => Promise.resolve(++finds ? (email as unknown as LoadedEmail) : undefined),
  };
  const settlement = {
    now: () => new Date(),
    settle: (_: DeliveryAttempt, outcome: DeliveryOutcome) => Promise.resolve(void outcomes.push(outcome)),
  };
  const state = { claim: () => Promise.resolve(1) };
  const delivery = new DeliverEmail(
    emails as EmailLoader,
    undefined as never,
    new HeldLeases(state as unknown as DeliveryState, pino({ level: 'silent' })),
    undefined as never,
    settlement as unknown as DeliverySettlement,
  );
  const isOver = await delivery.giveUpOverdue({} as DeliveryProviders, {
    emailId: uuidV7(Date.now() - hoursOld * HOUR_MS),
  });
  return { isOver, finds, outcomes };
}

it('fails an email that waited for more than 24 hours', async () => {
  const refused: DeliveryOutcome = { kind: 'refused', reason: 'The delivery provider accepted no mail for 24 hours' };
  expect(await outcomeOf(25)).toEqual({ isOver: true, finds: 1, outcomes: [refused] });
});

it('does not even read a younger one', async () => {
  expect(await outcomeOf(23)).toEqual({ isOver: false, finds: 0, outcomes: [] });
});

it.each([
  ['that was queued again since', 48, 1, 'queued', 0],
  ['that is not due', 25, 25, 'queued', 5_000],
  ['that another worker delivers', 25, 25, 'sending', 0],
  ['that was sent', 25, 25, 'sent', 0],
] as const)('does not change one %s', async (_, old, queued, status, dueInMs) => {
  expect(await outcomeOf(old, queued, status, dueInMs)).toMatchObject({ isOver: false, outcomes: [] });
});

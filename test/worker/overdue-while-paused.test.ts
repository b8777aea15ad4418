import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { LoadedEmail, EmailLoader } from '../../src/emails/delivery/load-email.js';
import type { DeliveryOutcome } from '../../src/providers/provider.js';
import type { LeasedSend } from '../../src/emails/delivery/leased-send.js';
import { EmailDelivery } from '../../src/emails/delivery/email-delivery.js';

const HOUR_MS = 3_600_000;

/** What becomes of an email that came and was queued so many hours ago, while the provider is paused. */
async function outcomeOf(hoursOld: number, hoursQueued = hoursOld, status = 'queued', dueInMs = 0) {
  const outcomes: unknown[] = [];
  let finds = 0;
  const email = { status, dueInMs, queuedForMs: hoursQueued * HOUR_MS };
  const emails: Pick<EmailLoader, 'find'> = {
    find: () => Promise.resolve(++finds ? (email as unknown as LoadedEmail) : undefined),
  };
  const claimed: Pick<LeasedSend, 'run'> = {
    run: async (_lease, _delivery, deliver) => void outcomes.push(await deliver(() => Promise.resolve(true))),
  };
  const delivery = new EmailDelivery(
    emails as EmailLoader,
    undefined as never,
    claimed as LeasedSend,
    undefined as never,
    undefined as never,
  );
  const isOver = await delivery.giveUpOverdue({ emailId: uuidV7(Date.now() - hoursOld * HOUR_MS) });
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
] as const)('leaves one alone %s', async (_, old, queued, status, dueInMs) => {
  expect(await outcomeOf(old, queued, status, dueInMs)).toMatchObject({ isOver: false, outcomes: [] });
});

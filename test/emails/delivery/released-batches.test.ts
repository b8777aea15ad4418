import { randomUUID } from 'node:crypto';
import { DeliverBatch } from '../../../src/emails/delivery/deliver-batch.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { HeldLeases } from '../../../src/emails/delivery/held-leases.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { BatchHandOver } from '../../../src/providers/provider.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { CapturedLog } from '../../support/captured-log.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails } from '../dispatch/dispatched-emails.js';
import { noSingleSends } from '../../support/single-sends.js';

const ORGANIZATION = randomUUID();

let opened: OpenTestDatabase;
beforeAll(async () => void (opened = await openTestDatabase(4)));
afterAll(() => opened?.close());

function loaded(id: string): LoadedEmail {
  const address = 'reader@example.com';
  return {
    ...{ id, status: 'queued', generation: 0, dueInMs: 0, crashes: 0, isBodyGone: false, doubtfulProvider: null },
    ...{ shared: { messageId: 'm', variables: {} }, unsubscribe: true, baseUrl: null },
    message: { organizationId: ORGANIZATION, to: [{ address }], cc: [], bcc: [], envelopeRecipients: [address] },
  } as unknown as LoadedEmail;
}

it('emails whose call fails while they are being claimed are not left claimed, and go to another provider', async () => {
  const { database } = opened;
  const { logger } = new CapturedLog('warn', ['worker']);
  const state = new DeliveryState(database, new WebhookOutbox());
  let isReleased = false;
  const release = state.release.bind(state);
  state.release = (leases) => release(leases).finally(() => (isReleased = true));
  const ids = await dispatchEmails(database, 3);
  const calls = {
    fitting: (_: unknown, rendered: unknown) => rendered,
    deliverBatch: async (_providers: unknown, _provider: unknown, _rendered: unknown, handOver: BatchHandOver) => {
      void handOver();
      await lockedOut(database, 1);
      return { kind: 'retry', reason: 'The connection failed' };
    },
  };
  let moves!: () => void;
  const moving = new Promise<void>((resolve) => (moves = resolve));
  const providers = { canMove: () => Promise.resolve(true).finally(moves) };
  const rendering = {
    renderBatch: (emails: readonly LoadedEmail[]) =>
      Promise.resolve({ recipients: emails.map((email) => ({ email })) }),
  };
  const emails = { findBatch: () => Promise.resolve(ids.map(loaded)) };
  const parts = [emails, rendering, state, new HeldLeases(state, logger), calls, undefined, noSingleSends];
  const batch = new DeliverBatch(...(parts as unknown as ConstructorParameters<typeof DeliverBatch>));
  const inUse = { id: 'first', pause: { failure: { needsSingleEmails: false } } };
  let ended: Promise<unknown> | undefined;
  await whileLocked(
    database,
    (sql) => sql.query('select from pending_emails where email_id = $1 for update', [ids[0]]),
    async () => {
      ended = batch.run(providers as never, inUse as never, ids);
      await Promise.race([moving, ended]);
      // Time for a release that waits for no claim.
      for (let statement = 0; statement < 200 && !isReleased; statement++) await database.query('select 1');
    },
  );
  expect(await ended).toEqual(ids);
  const left = await database.query('select lease_token, attempts from pending_emails');
  expect(left).toEqual(ids.map(() => ({ lease_token: null, attempts: 0 })));
});

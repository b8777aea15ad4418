import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { insertSuppressions } from '../../../src/suppressions/insert-suppressions.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import type { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { randomUUID } from 'node:crypto';

const EMAILS = 1_000;

let opened: OpenTestDatabase;
let state: DeliveryState;
let organizationId: string;
let emailIds: string[];

beforeAll(async () => {
  opened = await openTestDatabase(8);
  state = new DeliveryState(opened.database, undefined as unknown as WebhookOutbox);
  organizationId = await insertOrganization(opened.database);
  await insertBacklog(opened.database, organizationId, EMAILS);
  const rows = await opened.database.query<{ id: string }>('select id from emails order by id');
  emailIds = rows.map(({ id }) => id);
});
afterAll(() => opened.close());

it('no address that was suppressed before the claim is claimed, even while many are being suppressed', async () => {
  const addressOf = (n: number): string => `R${n}@example.com`;
  const suppressedAt = new Map<number, number>();
  // Four at a time: all at once would wait for a connection longer than the pool allows.
  const suppressing = Array.from({ length: 4 }, async (_, chain) => {
    for (let n = chain; n < EMAILS; n += 4) {
      await insertSuppressions(opened.database, [
        { organizationId, address: addressOf(n).toLowerCase(), reason: 'complaint', note: null },
      ]);
      suppressedAt.set(n, performance.now());
    }
  });
  const claiming = emailIds.map(async (emailId, n) => {
    // Half of them are claimed at once, the others about when their address is suppressed.
    while (n % 2 === 0 && suppressedAt.size < n) await new Promise((resolve) => setImmediate(resolve));
    const since = performance.now();
    const audience = { organizationId, unsubscribe: false, addresses: [addressOf(n)] };
    return { since, claimed: await state.claim({ emailId, token: randomUUID() }, 0, audience) };
  });
  const [claims] = await Promise.all([Promise.all(claiming), Promise.all(suppressing)]);
  const wrong = claims.filter(({ since, claimed }, n) => suppressedAt.get(n)! < since && typeof claimed !== 'object');
  expect(wrong).toEqual([]);
  for (const [n, { claimed }] of claims.entries())
    if (claimed !== 1) expect(claimed).toEqual([{ address: addressOf(n), reason: 'complaint' }]);
  // No address is claimed afterwards.
  const later = await Promise.all(
    emailIds.map((emailId, n) =>
      state.claim({ emailId, token: randomUUID() }, 0, {
        organizationId,
        unsubscribe: false,
        addresses: ['other@example.com', addressOf(n)],
      }),
    ),
  );
  expect(later.filter((claimed) => typeof claimed === 'number')).toEqual([]);
});

it('an unsubscribe stops only mail with an unsubscribe link', async () => {
  await opened.database.query(`update pending_emails set lease_token = null; `);
  await insertSuppressions(opened.database, [
    { organizationId, address: 'reader@example.com', reason: 'unsubscribe', note: null },
  ]);
  const claim = (unsubscribe: boolean) =>
    state.claim({ emailId: emailIds[0]!, token: randomUUID() }, 0, {
      organizationId,
      unsubscribe,
      addresses: ['reader@example.com'],
    });
  expect(await claim(true)).toEqual([{ address: 'reader@example.com', reason: 'unsubscribe' }]);
  expect(typeof (await claim(false))).toBe('number');
});

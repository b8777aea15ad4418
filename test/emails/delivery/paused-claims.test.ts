import { randomUUID } from 'node:crypto';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;

beforeAll(async () => void (opened = await openTestDatabase(4)));
afterAll(() => opened.close());

it.each([
  ['sending', 1],
  ['sent', 1],
  ['paused', undefined],
  ['canceled', undefined],
])('an email of a broadcast that is %s: attempt %s', async (status, attempt) => {
  const { database } = opened;
  const organizationId = await insertOrganization(database);
  await insertBacklog(database, organizationId, 1);
  const [broadcastId, messageId] = [randomUUID(), randomUUID()];
  await database.query(`insert into messages (id, organization_id, subject) values ($1, $2, 'S')`, [
    messageId,
    organizationId,
  ]);
  await database.query(
    `insert into broadcasts (id, organization_id, message_id, name, sender, status) values ($1, $2, $3, 'B', 'a@b.example', $4)`,
    [broadcastId, organizationId, messageId, status],
  );
  const [row] = await database.query<{ email_id: string }>(
    'update pending_emails set broadcast_id = $2 where organization_id = $1 returning email_id',
    [organizationId, broadcastId],
  );
  const state = new DeliveryState(database, undefined as unknown as WebhookOutbox);
  expect(await state.claim({ emailId: row!.email_id, token: randomUUID() }, 0)).toBe(attempt);
});

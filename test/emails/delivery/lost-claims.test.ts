import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { EmailClaim } from '../../../src/emails/delivery/email-claim.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { eventually } from '../../support/eventually.js';
import { lazyDatabase } from '../../support/lazy-database.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

let open: OpenTestDatabase;
// A database each: an email that a test leaves would be dispatched in the next one.
beforeEach(async () => void (open = await openTestDatabase()));
afterEach(() => open?.close());

it('a claim whose response was lost is returned once Postgres is back, however late', async () => {
  const { database, url } = open;
  const [emailId] = await dispatchEmails(database, 1);
  const pending = async () =>
    (await database.query('select lease_token, attempts, generation from pending_emails'))[0]!;
  const cable = await TcpProxy.before(new URL(url));
  // Between the crash of a primary and the promotion of its standby, nothing accepts connections.
  let refused = 0;
  const nobody = createServer((socket) => {
    refused++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const worker = lazyDatabase(cable.through(url), 1);
  try {
    await worker.query('select');
    cable.leadTo(new URL(`postgres://127.0.0.1:${(nobody.address() as AddressInfo).port}`));
    const state = new DeliveryState(worker, new WebhookOutbox());
    const cut = cable.cutAfter('claim-emails');
    const claim = new EmailClaim(state, { emailId: emailId!, token: randomUUID() }, 0);
    const attempt = claim.attempt().then(
      () => 'claimed',
      () => 'failed',
    );
    await cut;
    await eventually(() => refused > 0);
    expect(await pending()).toMatchObject({ lease_token: expect.any(String), attempts: 1 });
    cable.leadTo(new URL(url));
    expect(await attempt).toBe('failed');
    expect(await pending()).toEqual({ lease_token: null, attempts: 0, generation: 1 });
  } finally {
    await worker.pool.end();
    await cable.goDown();
    nobody.close();
  }
});

it('a lease that was lost since the claim allows no hand-over to another provider', async () => {
  const { database } = open;
  const [emailId] = await dispatchEmails(database, 1);
  const claim = new EmailClaim(new DeliveryState(database, new WebhookOutbox()), leaseOn(emailId!), 0);
  expect(await claim.allowsHandOver('p1')).toBe(true);
  expect(await claim.allowsHandOver('p2')).toBe(true);
  await database.query('update pending_emails set lease_token = gen_random_uuid() where email_id = $1', [emailId]);
  expect(await claim.allowsHandOver('p3')).toBe(false);
});

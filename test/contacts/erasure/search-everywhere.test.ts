import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { WEBHOOK_EVENTS } from '../../../src/webhooks/webhook-events.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { BroadcastClient } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'Jane.Doe+news@example.com';
const KEY = JANE.toLowerCase();
/** How the address may be written: plain, in a URL, in a URL inside of one, and the name that belongs to it. */
const TRACES = [KEY, 'jane.doe%2bnews%40example.com', 'jane.doe%252bnews%2540example.com', 'Jane Doe'];
const SHOP = `https://shop.example/?email=${encodeURIComponent(JANE)}`;
const BOB = 'bob@example.com';

let receiver: WebhookReceiver;
let bench: ErasureBench;

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  receiver.respond = (response, { body }) =>
    void response.writeHead(500).end(body.slice(body.indexOf(`"to":`)).slice(0, 200));
  bench = await ErasureBench.start();
  await bench.client.post('/api/webhooks', { url: receiver.url, events: WEBHOOK_EVENTS });
});
afterAll(async () => {
  await bench?.stop();
  await receiver?.stop();
});

/** Every way in which the address of a person gets into the service. */
async function leaveTraces(): Promise<void> {
  const { client, service } = bench;
  const personal = {
    to: `Jane Doe <${JANE}>`,
    subject: `Hello ${JANE}`,
    htmlContent: `<p>To ${JANE}: <a href="${SHOP}">Shop</a>
      <a href="https://go.example/?to=${encodeURIComponent(SHOP)}">Again</a></p>`,
    metadata: { user: JANE },
    headers: { 'X-User': JANE },
    tags: ['jane'],
    campaignId: 'Spring',
    attachments: [{ filename: `${KEY} notes.txt`, content: Buffer.from(JANE).toString('base64') }],
  };
  await client.post('/api/suppressions', { address: JANE });
  await bench.send({ to: [`Jane Doe <${JANE}>`, BOB], replyTo: JANE });
  await bench.send({ to: BOB, cc: [`Jane Doe <${JANE}>`] });
  await client.post('/api/send', { from: 'a@acme.example', ...personal });
  await client.delete(`/api/suppressions/${KEY}`);
  const alone = await bench.send(personal, { 'idempotency-key': `welcome ${JANE}` });
  await service.track(alone.pixelUrl);
  for (const { trackingUrl } of alone.links) await service.track(trackingUrl);
  const shared = await bench.send({
    ...personal,
    to: [`Jane Doe <${JANE}>`, BOB],
    cc: ['carl@example.com'],
    attachments: [],
  });
  await service.track(shared.pixelUrl);
  for (const { trackingUrl } of shared.links) await service.track(trackingUrl);
  const copied = await bench.send({ to: BOB, cc: [`Jane Doe <${JANE}>`] });
  await bench.send({ to: BOB, bcc: [JANE], sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await bench.send({ ...personal, sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await client.post('/api/emails', personal);

  service.mailServer.scripts.add(KEY, { phase: 'rcpt', reply: `451 later <${JANE}>` }, 1);
  service.mailServer.scripts.add(JANE, { phase: 'rcpt', reply: `451 later <${JANE}>` }, 1);
  await bench.send(personal, { prefer: 'respond-async' });
  await eventually(async () => (await service.database.query('select from email_attempts')).length > 0);
  service.mailServer.scripts.add(JANE, { phase: 'rcpt', reply: `550 5.7.1 no <${JANE}>` }, 1);
  await client.post('/api/send', { ...personal, from: 'a@acme.example' }, { 'idempotency-key': 'refused' });
  await client.post(
    '/api/send/batch',
    { emails: [{ ...personal, from: 'a@acme.example' }, { to: JANE }] },
    {
      'idempotency-key': 'batch',
    },
  );

  const broadcasts = new BroadcastClient(client);
  const draft = await broadcasts.create();
  await broadcasts.add(draft, [{ to: `Jane Doe <${JANE}>`, variables: { name: 'Jane Doe' } }, { to: BOB }]);
  const sent = await broadcasts.create();
  await broadcasts.add(sent, [{ to: JANE, variables: { name: 'Jane Doe' }, metadata: { user: JANE } }, { to: BOB }]);
  await broadcasts.move(sent, 'send');
  await broadcasts.settled(sent, 'sent');

  const { id, trackingId } = await bench.read(shared.emailTrackingId);
  const reason = `550 no such user <${JANE}>`;
  await bench.append(
    reportOf((await bench.read(alone.emailTrackingId)).id, JANE, 'bounced', { bounce: 'soft', reason }),
    reportOf(id, KEY, 'complained'),
    reportOf(id, BOB, 'delivered', { reason: `after ${JANE}` }),
    reportOf((await bench.read(copied.emailTrackingId)).id, 1, 'delivered'),
    reportOf(trackingId, 0, 'unsubscribed'),
  );
  await client.post('/api/suppressions', { address: JANE, note: 'asked by phone' });
  const letter = packEntry([encodeEvent(reportOf(id, JANE, 'delivered'))]);
  await storeDeadLetters(service.database, [{ streamEntryId: '1-0', payload: letter, reason: 'malformed' }]);
  await eventually(
    async () => (await client.get<{ reason?: string }>(`/api/suppressions/${KEY}`)).body.reason === 'complaint',
  );
  await eventually(async () => (await service.database.query("select from events where type = 'clicked'")).length >= 3);
  await eventually(async () => (await bench.find(KEY)).includes('webhook_attempts.answer'));
}

it('a search of every table, stream, queue, spool and log finds nothing of an erased person', async () => {
  await leaveTraces();
  const before = await bench.find(...TRACES);
  // The search is worth something: the address is in all these places.
  for (const place of [
    ...['contacts.address', 'contact_search.letters', 'email_contents.to_addresses', 'email_contents.cc_addresses'],
    'email_contents.reply_to',
    ...['email_contents.bcc_addresses', 'email_contents.subject', 'email_contents.html', 'email_contents.metadata'],
    ...['email_contents.variables', 'email_contents.headers', 'recipient_deliveries.address', 'delivery_events.reason'],
    ...['delivery_events.address_key', 'webhook_deliveries.body', 'webhook_attempts.answer', 'suppressions.address'],
    ...['broadcast_recipients.address', 'idempotency_keys.key', 'email_links.urls', 'campaign_links.url', 'events.url'],
    ...[
      'email_attachments.filename',
      'attachment_contents.bytes',
      'event_dead_letters.payload',
      'email_attempts.reason',
    ],
  ].filter((name) => name !== 'contact_search.letters'))
    expect(before).toContain(place);
  // Contents of attachments that a request may be about to use stay for an hour.
  await bench.service.database.query(`update attachment_contents set used_at = now() - interval '2 hours'`);

  expect(await bench.erase(JANE)).toBe(true);
  expect(await bench.find(...TRACES)).toEqual([]);
  const letters = await bench.service.database.query('select letters from contact_search');
  expect(JSON.stringify(letters)).not.toContain('jane');
});

it('the search fails when a table keeps the address', async () => {
  await bench.service.database.query('create table planted (id bigint, noted jsonb)');
  await bench.service.database.query('insert into planted values (1, $1)', [{ who: JANE }]);
  expect(await bench.find(...TRACES)).toEqual(['planted.noted']);
});

import { LEAD_MS } from '../../src/domains/tracking/base-url-switch.js';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import type { TestClient } from '../support/service.js';
import { TRACKING_TARGET, TrackingDomainBed } from '../support/tracking-domain-bed.js';

let bed: TrackingDomainBed;
let client: TestClient;

beforeAll(async () => {
  bed = await TrackingDomainBed.start();
  client = await bed.service.organization();
});
afterAll(() => bed?.stop());

interface Sent {
  readonly emailTrackingId: string;
  readonly links: readonly { readonly trackingUrl: string }[];
  readonly pixelUrl: string;
}

const EMAIL = {
  from: 'news@acme.example',
  to: 'reader@example.com',
  subject: 'S',
  htmlContent: '<a href="https://example.com/">x</a>',
};

async function send(by = client, fields: object = {}, headers = {}): Promise<Sent> {
  const { status, body } = await by.post<Sent>('/api/send', { ...EMAIL, ...fields }, headers);
  expect(status).toBe(200);
  return body;
}

/** Everything in the email and in responses about it that begins with a tracking address. */
async function addressesOf({ emailTrackingId, links, pixelUrl }: Sent, by = client): Promise<Set<string>> {
  const { body } = await by.get<Sent>(`/api/emails/${emailTrackingId}`);
  const content = bed.service.mailServer.messages.at(-1)!.content.toString().replace(/=\r\n/g, '').replace(/=3D/g, '=');
  const inMail = content.match(/https?:\/\/[^\s"<>]+(?=\/api\/t\/[a-z]\/)/g) ?? [];
  const urls = [pixelUrl, body.pixelUrl, ...[...links, ...body.links].map(({ trackingUrl }) => trackingUrl)];
  return new Set([...inMail, ...urls.map((url) => new URL(url).origin)]);
}

it('begins all addresses in new emails with a verified domain, and leaves those of earlier emails as they are', async () => {
  const key = { 'idempotency-key': 'before' };
  const before = await send(client, {}, key);
  const added = await bed.add('Click.Acme.example', client);
  expect(added).toMatchObject({ domain: 'click.acme.example', status: 'pending', usedSince: null });
  expect(added.records.map(({ type, name, purpose }) => [type, name, purpose])).toEqual([
    ['CNAME', 'click.acme.example', 'tracking'],
    ['TXT', '_mailbeacon.click.acme.example', 'ownership'],
  ]);
  expect(added.records[0]!.value).toBe(TRACKING_TARGET);
  bed.publish(added);
  expect(await bed.verify(added, client)).toMatchObject({
    status: 'verified',
    usedSince: new Date(bed.now + LEAD_MS).toISOString(),
  });
  expect(await addressesOf(await send())).toEqual(new Set(['http://track.test']));
  bed.pass(LEAD_MS);
  const after = await send(client, { unsubscribe: true });
  expect(await addressesOf(after)).toEqual(new Set(['https://click.acme.example']));
  expect(await send(client, {}, key)).toEqual(before);

  const { body } = await client.post<Sent>('/api/emails', EMAIL, { 'idempotency-key': 'tracked' });
  expect(body.pixelUrl).toMatch(/^https:\/\/click\.acme\.example\/api\/t\/o\//);
  const again = await client.post<Sent>('/api/emails', EMAIL, { 'idempotency-key': 'tracked' });
  expect(again.body).toEqual(body);
  const [link] = after.links;
  const response = await bed.service.track(link!.trackingUrl, { headers: { host: 'click.acme.example' } });
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.com/']);

  await client.delete(`/api/tracking-domains/${added.id}`);
  bed.pass(LEAD_MS);
  expect(await addressesOf(await send())).toEqual(new Set(['http://track.test']));
  expect((await client.get<Sent>(`/api/emails/${after.emailTrackingId}`)).body.pixelUrl).toBe(after.pixelUrl);
});

it('begins addresses of each organization with its own domain, whatever others do with theirs', async () => {
  const [one, two, none] = [
    await bed.service.organization(),
    await bed.service.organization(),
    await bed.service.organization(),
  ];
  await bed.use('own.example', one);
  const last = await bed.use('other.example', two);
  bed.pass(1);
  const seen = async (by: TestClient) => [...(await addressesOf(await send(by), by))];
  expect([await seen(one), await seen(two), await seen(none)]).toEqual([
    ['https://own.example'],
    ['https://other.example'],
    ['http://track.test'],
  ]);
  await two.delete(`/api/tracking-domains/${last.id}`);
  bed.pass(LEAD_MS);
  expect(await seen(one)).toEqual(['https://own.example']);
});

it('uses the domain that was verified last, and an earlier one again without it', async () => {
  const by = await bed.service.organization();
  await bed.use('one.example', by);
  bed.pass(1);
  const second = await bed.use('two.example', by);
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['https://two.example']));
  const { body } = await by.get<{ trackingDomains: TrackingDomainView[] }>('/api/tracking-domains');
  expect(body.trackingDomains.map(({ domain, usedSince }) => [domain, usedSince !== null])).toEqual([
    ['two.example', true],
    ['one.example', false],
  ]);
  await by.delete(`/api/tracking-domains/${second.id}`);
  bed.pass(LEAD_MS);
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['https://one.example']));
});

it('stops using a domain once a record is missing, and uses it again when it is back', async () => {
  const by = await bed.service.organization();
  const domain = await bed.use('back.example', by);
  bed.dns.zone.delete('back.example');
  const failing = await bed.verify(domain, by);
  expect(failing).toMatchObject({ status: 'verified', failingSince: expect.any(String), usedSince: null });
  bed.pass(LEAD_MS);
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['http://track.test']));
  bed.publish(domain);
  expect(await bed.verify(domain, by)).toMatchObject({ failingSince: null, usedSince: expect.any(String) });
});

it('gives each email of a broadcast the addresses of its own time of creation', async () => {
  const by = await bed.service.organization();
  const broadcasts = new BroadcastClient(by);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(2));
  await bed.use('letters.example', by);
  const sent = bed.service.mailServer.messages.length;
  await broadcasts.move(id, 'send');
  const mail = await eventually(() => {
    const messages = bed.service.mailServer.messages.slice(sent).map(({ content }) => content.toString());
    return messages.length === 2 && messages;
  });
  for (const message of mail) expect(message).toContain('https://letters.example/api/t/');
  for (const message of mail) expect(message).not.toContain('http://track.test');
});

it('uses an earlier domain again at once if the last one is deleted by a host whose clock is behind', async () => {
  const by = await bed.service.organization();
  await bed.use('kept.example', by);
  bed.pass(1);
  const mistake = await bed.add('mistake.example', by);
  bed.publish(mistake);
  await bed.verify(mistake, by);
  bed.pass(-1_000);
  await by.delete(`/api/tracking-domains/${mistake.id}`);
  bed.pass(LEAD_MS + 2_000);
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['https://kept.example']));
});

it('tracks no link again that is tracked already with another address', async () => {
  const by = await bed.service.organization();
  const before = await by.post<{ htmlContent: string }>('/api/emails', EMAIL);
  await bed.use('again.example', by);
  const { htmlContent } = before.body;
  expect((await send(by, { htmlContent })).links).toEqual([]);
  const after = await by.post<{ htmlContent: string }>('/api/emails', EMAIL);
  expect((await send(client, { htmlContent: after.body.htmlContent })).links).toEqual([]);
});

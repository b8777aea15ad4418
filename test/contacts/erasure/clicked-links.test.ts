import { simpleParser } from 'mailparser';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { clicked } from '../../roles/flusher/sent-mail.js';
import { eventually } from '../../support/eventually.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const BOB = 'bob@example.com';
const TRACES = [JANE, encodeURIComponent(JANE)];
const SHOP = `https://shop.example/?reader=${encodeURIComponent(JANE)}`;
const HTML = `<a href="${SHOP}">Shop</a>`;
const MESSAGE = { from: 'a@acme.example', subject: 'S', htmlContent: HTML, campaignId: 'Personal' };

let bench: ErasureBench;
beforeAll(async () => void (bench = await ErasureBench.start({ AMBIGUOUS_SEND: 'hold' })));
afterAll(() => bench?.stop());

/** Clicks the link, and waits until the click is counted. */
async function click(trackingUrl: string): Promise<void> {
  const clicks = `select from campaign_links where url = $1 and clicks > 0`;
  await bench.service.track(trackingUrl);
  await eventually(async () => (await bench.service.database.query(clicks, [SHOP])).length > 0);
}

const clickedUrls = async () =>
  (
    await bench.service.database.query<{ url: string }>(`select url from events where type = 'clicked' and ordinal = 1`)
  ).map(({ url }) => url);

const clickIds = async () =>
  (await bench.service.database.query<{ id: string }>(`select id from events where url = $1`, [SHOP])).map(
    ({ id }) => id,
  );

describe('A personal link that was clicked keeps nothing of an erased person', () => {
  it('who was in copy, so that the click belongs to another recipient', async () => {
    const { links } = await bench.send({ to: BOB, cc: [JANE], htmlContent: HTML, campaignId: 'Copies' });
    await click(links[0]!.trackingUrl);
    expect(await bench.find(...TRACES)).toContain('events.url');
    await bench.erase(JANE);
    expect(await bench.find(...TRACES)).toEqual([]);
    expect(await clickedUrls()).toEqual(['https://shop.example/?reader=erased']);
  });

  it.each(['cc', 'bcc'])('who was in %s, and clicks only after the erasure', async (field) => {
    const { links } = await bench.send({ to: BOB, [field]: [JANE], htmlContent: HTML, campaignId: field });
    const count = async () => (await clickedUrls()).length;
    const before = await count();
    await bench.erase(JANE);
    await bench.service.track(links[0]!.trackingUrl);
    await eventually(async () => (await count()) > before);
    expect(await bench.find(...TRACES)).toEqual([]);
  });

  it('whose email reached them although its delivery had an unknown outcome, and whose older clicks were deleted', async () => {
    bench.service.mailServer.scripts.add(JANE, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    await bench.client.post('/api/send', { ...MESSAGE, to: JANE }, { prefer: 'respond-async' });
    const { body } = await bench.client.get<{ emails: { id: string }[] }>(`/api/emails?recipient=${JANE}`);
    const read = async () => (await bench.client.get<EmailDetail>(`/api/emails/${body.emails[0]!.id}`)).body;
    await eventually(async () => (await read()).status === 'failed');
    const copy = bench.service.mailServer.messages.findLast(({ recipients }) => recipients.includes(JANE))!;
    const { html } = await simpleParser(copy.content);
    const link = /href="([^"]*\/api\/t\/c\/[^"]*)"/.exec(String(html))![1]!;
    await click(link);
    const older = await clickIds();
    await bench.service.track(link);
    await eventually(async () => (await clickIds()).length > older.length);
    await bench.service.database.query('delete from events where id = any($1)', [older]);
    expect(await bench.find(...TRACES)).toContain('campaign_links.url');
    await bench.erase(JANE);
    expect(await bench.find(...TRACES)).toEqual([]);
  });

  it('in a click that could not be stored', async () => {
    const { emailTrackingId } = await bench.send({ to: JANE });
    const payload = packEntry([encodeEvent(clicked(emailTrackingId, 0, SHOP))]);
    await storeDeadLetters(bench.service.database, [{ streamEntryId: '1-0', payload, reason: 'malformed' }]);
    await bench.erase(JANE);
    expect(await bench.find(...TRACES)).toEqual([]);
  });
});

it('A link that other emails have, too, keeps their clicks when a person whom it names is erased', async () => {
  const desk = 'desk@acme.example';
  const url = `https://shop.example/help?to=${desk}`;
  const message = { htmlContent: `<a href="${url}">Help</a>`, campaignId: 'Help' };
  const [own, other] = [await bench.send({ ...message, to: desk }), await bench.send({ ...message, to: BOB })];
  const links = () =>
    bench.service.database.query<{ url: string; clicks: number; machines: number }>(
      `select url, clicks::int, machine_clicks::int as machines from campaign_links l join campaigns c on c.id = l.campaign_id
        where c.name = 'Help' order by url`,
    );
  const click = async ({ links: [link] }: typeof own, clicks: number): Promise<void> => {
    await bench.service.track(link!.trackingUrl, { headers: { 'user-agent': 'curl/8.5.0' } });
    await eventually(async () => (await links()).some((one) => one.clicks === clicks));
  };
  await click(own, 1);
  await click(other, 2);
  await click(other, 3);
  await bench.erase(desk);
  const erased = { url: 'https://shop.example/help?to=erased', clicks: 1, machines: 1 };
  expect(await links()).toEqual([{ url, clicks: 2, machines: 2 }, erased]);
  await click(other, 3);
  expect(await links()).toEqual([{ url, clicks: 3, machines: 3 }, erased]);
});

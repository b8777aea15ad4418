import { randomBytes, randomUUID } from 'node:crypto';
import type { CampaignDetail } from '../../../src/campaigns/campaign-reports.js';
import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { storeDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { BroadcastClient, people } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import type { TestClient } from '../../support/service.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const BOB = 'bob@example.com';

let bench: ErasureBench;
let client: TestClient;
beforeAll(async () => void (bench = await ErasureBench.start()));
beforeEach(async () => {
  client = await bench.service.organization();
});
afterAll(() => bench?.stop());

async function send(fields: object, from = client): Promise<{ id: string; pixelUrl: string; link?: string }> {
  const message = { from: 'a@acme.example', subject: 'S', htmlContent: '<p>x</p>', ...fields };
  const { status, body } = await from.post<SendResponse>('/api/send', message);
  expect(status).toBe(200);
  const { emailTrackingId, pixelUrl, links } = body;
  const { id } = (await from.get<EmailDetail>(`/api/emails/${emailTrackingId}`)).body;
  return { id, pixelUrl, ...(links[0] && { link: links[0].trackingUrl }) };
}

describe('An erasure leaves to others what is theirs', () => {
  it('the events of an email to several, in the order of its recipients', async () => {
    const { id, pixelUrl } = await send({ to: [JANE, BOB, 'carl@example.com'] });
    await bench.service.track(pixelUrl);
    const read = () =>
      bench.service.database.query<{ ordinal: number; address: string }>(
        `select v.ordinal, c.address from events v join contacts c on c.id = v.contact_id
          where v.email_id = $1 and v.type = 'opened' order by v.ordinal`,
        [id],
      );
    await eventually(async () => (await read()).length === 3);
    await bench.erase(JANE, client);
    expect(await read()).toEqual([
      { ordinal: 1, address: BOB },
      { ordinal: 3, address: 'carl@example.com' },
    ]);
  });

  it('the events of an email to several, two of whom are erased at the same time', async () => {
    const { id, link } = await send({
      to: [JANE, BOB, 'carl@example.com'],
      htmlContent: '<a href="https://shop.example/">Shop</a>',
    });
    await bench.service.track(link!);
    const read = () =>
      bench.service.database.query(
        `select v.ordinal, c.address, v.url from events v join contacts c on c.id = v.contact_id
          where v.email_id = $1 and v.type = 'clicked'`,
        [id],
      );
    await eventually(async () => (await read()).length === 3);
    // A worker that holds another email of hers lets the erasure of Bob wait.
    const later = { to: BOB, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
    const { body: waiting } = await client.post<SendResponse>('/api/send', {
      ...{ from: 'a@acme.example', subject: 'S', htmlContent: '<p>x</p>', ...later },
    });
    const lease = (token: string | null) =>
      bench.service.database.query(
        `update pending_emails p set lease_token = $2, lease_until = now() + interval '1 hour'
           from emails e where e.id = p.email_id and e.tracking_id = $1`,
        [waiting.emailTrackingId, token],
      );
    await lease(randomUUID());
    expect((await client.delete(`/api/contacts/${BOB}`)).status).toBe(202);
    await bench.erase(JANE, client);
    await lease(null);
    await bench.erase(BOB, client);
    expect(await read()).toEqual([{ ordinal: 1, address: 'carl@example.com', url: 'https://shop.example/' }]);
  });

  it('the attachment of an email that a broadcast also has', async () => {
    const broadcasts = new BroadcastClient(client);
    const attachments = [{ filename: 'Plan.pdf', content: randomBytes(3_000).toString('base64') }];
    await send({ to: JANE, attachments });
    const id = await broadcasts.create({ attachments });
    await broadcasts.add(id, people(2));
    await bench.service.database.query(`update attachment_contents set used_at = now() - interval '2 hours'`);
    await bench.erase(JANE, client);
    await broadcasts.move(id, 'send');
    expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ sent: 2 });
  });

  it('the clicks of personal links, added up where links of erased people become the same', async () => {
    const link = (address: string) => `<a href="https://shop.example/?reader=${address}">Shop</a>`;
    for (const [address, clicks] of [
      [JANE, 1],
      [BOB, 2],
    ] as const) {
      const { link: tracked } = await send({ to: address, htmlContent: link(address), campaignId: 'Personal' });
      for (let click = 0; click < clicks; click++) await bench.service.track(tracked!);
    }
    const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    const clicks = async () =>
      (await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns[0]!.id}`)).body.links.map((one) => [
        one.url,
        one.clicks,
      ]);
    await eventually(async () => (await clicks()).reduce((sum, [, count]) => sum + Number(count), 0) === 3);
    await bench.erase(JANE, client);
    await bench.erase(BOB, client);
    expect(await clicks()).toEqual([['https://shop.example/?reader=erased', 3]]);
  });

  it('the clicks of personal links of an email to several, whose address does not come back with later ones', async () => {
    const htmlContent = `<a href="https://shop.example/?reader=${JANE}">Shop</a>`;
    const { id, link } = await send({ to: [JANE, BOB], htmlContent, campaignId: 'Shared' });
    const { body: listed } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    const clicked = async (clicks: number) => {
      await bench.service.track(link!);
      return eventually(async () => {
        const { links } = (await client.get<CampaignDetail>(`/api/campaigns/${listed.campaigns[0]!.id}`)).body;
        return links.reduce((sum, one) => sum + one.clicks, 0) === clicks && links.map(({ url }) => url);
      });
    };
    expect(await clicked(1)).toEqual([`https://shop.example/?reader=${JANE}`]);
    await bench.erase(JANE, client);
    expect(await clicked(2)).toEqual(['https://shop.example/?reader=erased']);
    const urls = await bench.service.database.query('select url from events where email_id = $1 and url ~ $2', [
      id,
      JANE,
    ]);
    expect(urls).toEqual([]);
  });

  it('their emails of a broadcast from which a suppressed person is erased before it is sent', async () => {
    const broadcasts = new BroadcastClient(client);
    await client.post('/api/suppressions', { address: JANE });
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to: JANE }, ...people(3)]);
    expect((await broadcasts.read(id)).progress).toMatchObject({ total: 4, suppressed: 1 });
    await bench.erase(JANE, client);
    expect((await broadcasts.read(id)).progress).toMatchObject({ total: 3, suppressed: 0 });
    await broadcasts.move(id, 'send');
    expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ sent: 3 });
  });

  it('the progress of a broadcast, from which a person is erased who was suppressed before the delivery', async () => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to: JANE }, ...people(2)]);
    const { database } = bench.service;
    // Its emails wait, so that the suppression comes between their acceptance and their claim.
    await database.query(
      `insert into sending_guards (organization_id, state, reason, paced_until)
       values ($1, 'slowed', 'x', now() + interval '1 hour')`,
      [client.organizationId],
    );
    await broadcasts.move(id, 'send');
    const waiting = 'select from pending_emails where organization_id = $1';
    await eventually(async () => (await database.query(waiting, [client.organizationId])).length === 3);
    await client.post('/api/suppressions', { address: JANE });
    await database.query('delete from sending_guards where organization_id = $1', [client.organizationId]);
    const { progress } = await broadcasts.settled(id, 'sent');
    expect(progress).toMatchObject({ total: 3, sent: 2, failed: 0, suppressed: 1 });
    await bench.erase(JANE, client);
    expect((await broadcasts.read(id)).progress).toEqual(progress);
    expect(await database.query('select from emails where last_error ~ $1', [JANE])).toEqual([]);
  });

  it('the dead letters of another organization about the same address', async () => {
    const neighbor = await bench.service.organization();
    const [own, foreign] = [await send({ to: JANE }), await send({ to: JANE }, neighbor)];
    for (const { id } of [own, foreign]) {
      const payload = packEntry([encodeEvent(reportOf(id, JANE, 'delivered'))]);
      await storeDeadLetters(bench.service.database, [{ streamEntryId: `${id}`, payload, reason: 'malformed' }]);
    }
    const letters = async () =>
      (await bench.service.database.query<{ of: string }>('select stream_entry_id as of from event_dead_letters')).map(
        (letter) => letter.of,
      );
    await bench.erase(JANE, client);
    expect(await letters()).toEqual([foreign.id]);
    await bench.erase(JANE, neighbor);
    expect(await letters()).toEqual([]);
  });
});

import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail, ContactView } from '../../src/contacts/contact-views.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { EmailEvent } from '../../src/emails/read/email-events.js';
import type { TimelineEntry } from '../../src/emails/read/timeline-entry.js';
import { codeOfVerdict, ENGAGEMENT_CLASSES, type Verdict } from '../../src/events/verdict.js';
import { NO_ENGAGEMENT } from '../support/engagement.js';
import { TestService, type TestClient } from '../support/service.js';

/* Opens and clicks by people and by machines, in the counters that the flusher maintains. */

let service: TestService;
let client: TestClient;
let read: TrackResponse;
let scanned: TrackResponse;
let campaignId: string;

const email = {
  subject: 'S',
  htmlContent: '<a href="https://example.com/a">a</a><a href="https://example.com/b">b</a>',
};

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
  const track = async (to: string) =>
    (await client.post<TrackResponse>('/api/emails', { ...email, to, campaignId: 'Spring' })).body;
  [read, scanned] = [await track('reader@example.com'), await track('guarded@example.com')];
  await track('idle@example.com');
  const { body } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  campaignId = body.campaigns[0]!.id;
  await count();
});
afterAll(() => service?.stop());

/**
 * One email with 5 opens (2 by machines) and 4 clicks (1 by a machine), and one that only machines opened and clicked.
 */
async function count(): Promise<void> {
  const { database } = service;
  const counters = 'set opens = $2, machine_opens = $3, clicks = $4, machine_clicks = $5';
  const hits = (machine: (typeof ENGAGEMENT_CLASSES)[number]) => ENGAGEMENT_CLASSES.indexOf(machine);
  for (const [id, address, ...counts] of [
    [read.id, 'reader@example.com', 5, 2, 4, 1],
    [scanned.id, 'guarded@example.com', 1, 1, 2, 2],
  ]) {
    await database.query(`update emails ${counters} where id = $1`, [id, ...counts]);
    await database.query(`update contacts ${counters} where address_key = $1`, [address, ...counts]);
  }
  await database.query(
    `insert into email_machine_hits (email_id, class, hits) values ($1, $3, 2), ($1, $4, 1), ($2, $4, 2), ($2, $5, 1)`,
    [read.id, scanned.id, hits('prefetch'), hits('scanner'), hits('bot')],
  );
  await database.query(
    `insert into email_link_clicks (email_id, position, clicks, machine_clicks)
     values ($1, 0, 1, 1), ($1, 1, 3, 0), ($2, 0, 1, 1), ($2, 1, 1, 1)`,
    [read.id, scanned.id],
  );
  const clicked = `update campaign_links set clicks = $2, machine_clicks = $3 where url = $1`;
  await database.query(clicked, ['https://example.com/a', 2, 2]);
  await database.query(clicked, ['https://example.com/b', 4, 1]);
  await database.query(
    `insert into campaign_totals (campaign_id, shard, opens, clicks, unique_opens, unique_clicks,
                                  machine_opens, machine_clicks, prefetches, scans, bots)
     values ($1, -1, 6, 6, 1, 1, 3, 3, 2, 3, 1)`,
    [campaignId],
  );
}

const ofReader = {
  people: { opens: 3, clicks: 3, uniqueOpens: 1, uniqueClicks: 1, openRate: 100, clickRate: 100 },
  machines: { opens: 2, clicks: 1, byClass: { prefetch: 2, preview: 0, scanner: 1, bot: 0 } },
};
const ofGuarded = {
  people: NO_ENGAGEMENT.people,
  machines: { opens: 1, clicks: 2, byClass: { prefetch: 0, preview: 0, scanner: 2, bot: 1 } },
};

describe('people and machines', () => {
  it('stats of campaigns count people and machines separately, and the totals stay raw', async () => {
    const { body } = await client.get<CampaignDetail>(`/api/campaigns/${campaignId}`);
    expect(body.stats).toMatchObject({ totalEmails: 3, totalOpens: 6, totalClicks: 6, openRate: 200, clickRate: 200 });
    expect(body.stats.people).toEqual({
      ...{ opens: 3, clicks: 3, uniqueOpens: 1, uniqueClicks: 1 },
      ...{ openRate: 33.33, clickRate: 33.33 },
    });
    expect(body.stats.machines).toEqual({
      ...{ opens: 3, clicks: 3 },
      byClass: { prefetch: 2, preview: 0, scanner: 3, bot: 1 },
    });
  });

  it('stats of emails count people and machines separately; unique means once per email', async () => {
    const { body: list } = await client.get<{ emails: EmailSummary[] }>('/api/emails');
    const [idle, guarded, reader] = list.emails;
    expect(reader).toMatchObject({ id: read.id, opens: 5, clicks: 4, ...ofReader });
    expect(guarded).toMatchObject({ id: scanned.id, opens: 1, clicks: 2, ...ofGuarded });
    expect(idle).toMatchObject({ opens: 0, clicks: 0, ...NO_ENGAGEMENT });
    const { body } = await client.get<EmailDetail>(`/api/emails/${read.id}`);
    expect(body).toMatchObject({ opens: 5, clicks: 4, ...ofReader });
  });

  it('emails of a campaign have the opens and clicks of people and machines', async () => {
    const { body } = await client.get<CampaignDetail>(`/api/campaigns/${campaignId}`);
    expect(body.emails.slice(1)).toMatchObject([
      { id: scanned.id, people: { opens: 0, clicks: 0 }, machines: { opens: 1, clicks: 2 } },
      { id: read.id, people: { opens: 3, clicks: 3 }, machines: { opens: 2, clicks: 1 } },
    ]);
  });

  it('links have the clicks of people', async () => {
    const { body: campaign } = await client.get<CampaignDetail>(`/api/campaigns/${campaignId}`);
    expect(campaign.links).toEqual([
      { url: 'https://example.com/b', clicks: 4, people: 3 },
      { url: 'https://example.com/a', clicks: 2, people: 0 },
    ]);
    const { body } = await client.get<EmailDetail>(`/api/emails/${read.id}`);
    expect(body.links).toMatchObject([
      { clicks: 1, people: 0 },
      { clicks: 3, people: 3 },
    ]);
  });

  it('contacts have the counts of people, and the engagement score by the formula of the contract', async () => {
    const { body: detail } = await client.get<ContactDetail>('/api/contacts/guarded@example.com');
    expect(detail).toMatchObject({ totalOpens: 1, totalClicks: 2, engagementScore: 100, openRate: 1, clickRate: 2 });
    expect(detail.people).toEqual({ opens: 0, clicks: 0, engagementScore: 0 });
    const { body: list } = await client.get<ContactView[]>('/api/contacts?search=reader');
    expect(list[0]).toMatchObject({ totalOpens: 5, people: { opens: 3, clicks: 3, engagementScore: 100 } });
  });
});

describe('every stored open and click has a class, a reason and a certainty', () => {
  const verdicts = {
    opened: { class: 'proxy', reason: 'user-agent:google-image-proxy', certainty: 'certain' },
    clicked: { class: 'scanner', reason: 'timing:instant', certainty: 'probable' },
  } satisfies Record<string, Verdict>;
  const none = { class: 'human', reason: 'none', certainty: 'probable' };

  beforeAll(async () => {
    await service.database.query(
      `insert into events (id, ordinal, occurred_at, type, email_id, contact_id, link_position, url, verdict)
       select gen_random_uuid(), 1, now() + n * interval '1 second', type, e.id, e.contact_ids[1], position, url, verdict
         from emails e, (values (1, 'opened', null::int, null::text, $2::int), (2, 'clicked', 0, 'https://example.com/a', $3),
                                (3, 'opened', null, null, 0)) as hit (n, type, position, url, verdict)
        where e.id = $1`,
      [read.id, codeOfVerdict(verdicts.opened), codeOfVerdict(verdicts.clicked)],
    );
  });

  it('in the events of its email', async () => {
    const { body } = await client.get<{ events: EmailEvent[] }>(`/api/emails/${read.id}/events`);
    const event = { id: expect.any(String), timestamp: expect.any(String) };
    expect(body.events).toEqual([
      { ...event, type: 'opened', ...none },
      { ...event, type: 'clicked', link: 'https://example.com/a', ...verdicts.clicked },
      { ...event, type: 'opened', ...verdicts.opened },
      { ...event, type: 'sent' },
    ]);
  });

  it('in the timeline of its email', async () => {
    const { body } = await client.get<{ timeline: TimelineEntry[] }>(`/api/emails/${read.id}/timeline`);
    const at = expect.any(String) as string;
    expect(body.timeline).toEqual([
      { type: 'accepted', at },
      { type: 'sent', at },
      { type: 'opened', at, ...verdicts.opened },
      { type: 'clicked', at, link: 'https://example.com/a', ...verdicts.clicked },
      { type: 'opened', at, ...none },
    ]);
  });

  it('in the timeline of its contact', async () => {
    const { body } = await client.get<ContactDetail>('/api/contacts/reader@example.com');
    const event = { timestamp: expect.any(String), emailId: read.id, subject: 'S', campaign: 'Spring' };
    expect(body.timeline).toEqual([
      { ...event, type: 'opened', ...none },
      { ...event, type: 'clicked', link: 'https://example.com/a', ...verdicts.clicked },
      { ...event, type: 'opened', ...verdicts.opened },
      { ...event, type: 'sent' },
    ]);
  });
});

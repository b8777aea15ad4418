import type { CampaignDetail } from '../../../src/campaigns/campaign-reports.js';
import type { StatsView } from '../../../src/campaigns/stats/read-stats.js';
import type { ContactDetail, ContactView } from '../../../src/contacts/contact-views.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { EmailEvent } from '../../../src/emails/read/email-events.js';
import type { ClickMap } from '../../../src/emails/read/click-map.js';
import type { EmailSummary } from '../../../src/emails/read/email-list.js';
import { ERASED_ADDRESS } from '../../../src/emails/mailbox.js';
import type { TestClient } from '../service.js';
import { sorted } from './figures.js';

/* What the API shows about engagement, in the form of the model's figures. */

export type ShownFigures = Awaited<ReturnType<typeof shownFigures>>;

/** @param begun when the test began; hits may lie in the hours before and after */
export async function shownFigures(client: TestClient, begun: number) {
  const read = async <Body>(path: string): Promise<Body> => {
    const { status, body } = await client.get<Body>(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return body;
  };
  const { emails } = await read<{ emails: EmailSummary[] }>('/api/emails');
  const { campaigns } = await read<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
  const contacts = await read<ContactView[]>('/api/contacts');
  const { suppressions } = await read<{ suppressions: { address: string; reason: string; scope: string }[] }>(
    '/api/suppressions',
  );
  const range = [begun - 7_200_000, begun + 360_000_000].map((at) => new Date(at).toISOString());
  const stats = (more = '') => read<StatsView>(`/api/stats?interval=hour&from=${range[0]}&to=${range[1]}${more}`);
  const { points, totals: all } = await stats();
  return {
    emails: await byKey(emails, async (email) => [email.id, await shownEmail(read, email)]),
    campaigns: await byKey(campaigns, async ({ id, name }) => {
      const { stats: shown, links } = await read<CampaignDetail>(`/api/campaigns/${id}`);
      const map = await client.get<ClickMap>(`/api/campaigns/${id}/click-map`);
      const { totals } = await stats(`&campaignId=${id}`);
      const { emails: accepted, sent, opens, clicks } = totals;
      return [
        name,
        {
          stats: shown,
          totals: { emails: accepted, sent, opens, clicks, ...factsOf(totals) },
          links: sorted(links.filter((link) => link.clicks > 0)),
          map: map.status === 200 ? map.body.links : null,
        },
      ];
    }),
    contacts: await byKey(contacts, async (contact) => [contact.email, await shownContact(read, contact)]),
    hours: Object.fromEntries(
      points
        .filter(({ opens, clicks }) => opens + clicks > 0)
        .map(({ at, opens, clicks, people, machines }) => [at, { opens, clicks, people, machines }]),
    ),
    facts: factsOf(all),
    suppressions: Object.fromEntries(suppressions.map(({ address, reason, scope }) => [address, { reason, scope }])),
  };
}

function factsOf({ delivered, deferred, bounced, complained, unsubscribed }: StatsView['totals']) {
  return { delivered, deferred, bounced, complained, unsubscribed };
}

type Read = <Body>(path: string) => Promise<Body>;

async function shownEmail(read: Read, listed: EmailSummary) {
  const detail = await read<EmailDetail>(`/api/emails/${listed.id}`);
  const { opens, clicks, people, machines, recipients, links } = detail;
  expect({ opens: listed.opens, clicks: listed.clicks }).toEqual({ opens, clicks });
  const states = recipients.map(({ state }) => state);
  expect(listed.recipientStates).toEqual(
    Object.fromEntries(states.map((state) => [state, states.filter((one) => one === state).length])),
  );
  const { events } = await read<{ events: EmailEvent[] }>(`/api/emails/${listed.id}/events`);
  return {
    ...{ opens, clicks, people, machines },
    links: links.map((link) => ({ clicks: link.clicks, people: link.people })),
    states: Object.fromEntries(
      recipients
        .filter(({ address }) => address !== ERASED_ADDRESS)
        .map(({ address, state, updatedAt }) => [
          address,
          { state, ...(state !== 'sent' && state !== 'suppressed' && { since: updatedAt }) },
        ]),
    ),
    events: sorted(
      events
        .filter(({ type }) => type !== 'sent')
        .map(({ timestamp, type, class: kind, reason, certainty, link }) => ({
          ...{ timestamp, type, class: kind, reason, certainty, ...(link !== undefined && { link }) },
        })),
    ),
  };
}

async function shownContact(read: Read, listed: ContactView) {
  const detail = await read<ContactDetail>(`/api/contacts/${listed.email}`);
  expect(detail).toMatchObject(listed);
  const { totalEmails, totalOpens, totalClicks, status, bounces, complaints, campaigns } = detail;
  const { engagementScore, people, openRate, clickRate, lastActivity, timeline } = detail;
  return {
    ...{ totalEmails, totalOpens, totalClicks, status, bounces, complaints, campaigns: [...campaigns].sort() },
    ...{ engagementScore, people, openRate, clickRate, lastActivity },
    hits: sorted(timeline.filter(({ type }) => type !== 'sent').map(({ timestamp, type }) => [timestamp, type])),
  };
}

async function byKey<Item, Value>(
  items: readonly Item[],
  entry: (item: Item) => Promise<readonly [string, Value]>,
): Promise<Record<string, Value>> {
  return Object.fromEntries(await Promise.all(items.map(entry)));
}

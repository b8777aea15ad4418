import { URLSearchParams } from 'node:url';

/** Requests of the dashboard's pages, with their own parameters. */
export const pageRequests = [
  { name: 'page Overview: figures of 7 days', path: () => stats(7, 'day') },
  { name: 'page Overview: figures of a day by hour', path: () => stats(1, 'hour') },
  { name: 'page Overview: figures of a year by week', path: () => stats(364, 'week') },
  { name: 'page Overview: latest emails', path: () => '/api/emails?limit=8' },
  { name: 'page Overview: latest campaigns', path: () => '/api/campaigns?limit=8' },
  { name: 'page Overview: domains', path: () => '/api/domains?limit=100' },
  { name: 'page Overview: webhooks', path: () => '/api/webhooks?limit=100' },
  { name: 'page Overview: budgets', path: () => '/api/usage' },
  { name: 'page Overview: sending', path: () => '/api/sending' },
  { name: 'page Emails', path: () => emails({}) },
  { name: 'page Emails: search for one recipient', path: (seeded, n) => emails({ search: contactOf(seeded, n) }) },
  { name: 'page Emails: search for a domain', path: () => emails({ search: '@mail.' }) },
  { name: 'page Emails: search for a subject of all', path: () => emails({ search: 'light' }) },
  { name: 'page Emails: search for nothing', path: () => emails({ search: 'no such words' }) },
  {
    name: 'page Emails: search in old subjects',
    path: ({ middle }) => emails({ search: 'no such words', cursor: middle.ofSubjects }),
  },
  { name: 'page Emails: status and time', path: () => emails({ status: 'sent', since: daysAgo(30) }) },
  { name: 'page Email', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}` },
  { name: 'page Email: timeline', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}/timeline` },
  { name: 'page Email: preview', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}/preview` },
  { name: 'page Email: click map', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}/click-map` },
  { name: 'page Campaigns', path: () => '/api/campaigns?limit=50' },
  { name: 'page Campaign', path: ({ campaignId }) => `/api/campaigns/${campaignId}?limit=1` },
  { name: 'page Campaign: recipients', path: ({ campaignId }) => `/api/campaigns/${campaignId}?limit=50` },
  { name: 'page Campaign: figures', path: ({ campaignId }) => `${stats(30, 'day')}&campaignId=${campaignId}` },
  { name: 'page Campaign: click map', path: ({ campaignId }) => `/api/campaigns/${campaignId}/click-map` },
  { name: 'page Contacts', path: () => '/api/contacts?limit=50' },
  { name: 'page Contacts: search', path: (seeded, n) => contacts(contactOf(seeded, n).slice(0, 6)) },
  { name: 'page Contact', path: (seeded, n) => `/api/contacts/${encodeURIComponent(contactOf(seeded, n))}` },
  {
    name: 'page Contact: with a tenth of all emails',
    path: ({ busiestContact }) => `/api/contacts/${encodeURIComponent(busiestContact)}`,
  },
  { name: 'page Broadcasts', path: () => '/api/broadcasts?limit=50' },
];

const DAY_MS = 86_400_000;

function daysAgo(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

function stats(days, interval) {
  return `/api/stats?${new URLSearchParams({ from: daysAgo(days), interval })}`;
}

function emails(filter) {
  return `/api/emails?${new URLSearchParams({ limit: '50', ...filter })}`;
}

function contacts(search) {
  return `/api/contacts?${new URLSearchParams({ limit: '50', search })}`;
}

/** A different one each time, spread over all of them. */
function contactOf({ contacts }, n) {
  return contacts[(n * 7919) % contacts.length];
}

function emailOf({ emailIds }, n) {
  return emailIds[(n * 7919) % emailIds.length];
}

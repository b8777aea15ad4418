import { Buffer } from 'node:buffer';
import { URLSearchParams } from 'node:url';
import { pageRequests } from './page-requests.mjs';

/**
 * Requests to both databases. `path` gets the seeded data and the number of the repetition. If the small database has
 * fewer matches than a page, `limit` makes the responses equally long, so that only the search can differ.
 */
export const requests = [
  { name: 'campaign list', path: () => '/api/campaigns' },
  { name: 'campaign list, second page', path: ({ next }) => next('/api/campaigns?limit=100') },
  { name: 'campaign detail', path: ({ campaignId }) => `/api/campaigns/${campaignId}` },
  {
    name: 'campaign detail, second page',
    path: ({ campaignId, next }) => next(`/api/campaigns/${campaignId}?limit=100`),
  },
  {
    name: 'campaign detail, from the middle',
    path: ({ campaignId, middle }) => `/api/campaigns/${campaignId}?limit=100&cursor=${middle.ofEmails}`,
  },
  { name: 'figures of 30 days', path: () => '/api/stats' },
  { name: 'figures of 30 days by hour', path: () => '/api/stats?interval=hour' },
  {
    name: 'figures of the big campaign, two years of days',
    path: ({ campaignId }) => `/api/stats?campaignId=${campaignId}&from=2025-01-01`,
  },
  { name: 'contact list', path: () => '/api/contacts' },
  { name: 'contact list, second page', path: ({ next }) => next('/api/contacts?limit=100') },
  {
    name: 'contact list, from the middle',
    path: ({ middle }) => `/api/contacts?limit=100&cursor=${middle.ofContacts}`,
  },
  { name: 'search: one contact', path: (seeded, n) => search(localPart(seeded, n)) },
  { name: 'search: a domain', path: (_, n) => search(`@${domains[n % domains.length]}.`, 100) },
  { name: 'search: a domain, second page', path: ({ next }) => next(search('@mail.', 40)) },
  {
    name: 'search: a domain, from the middle',
    path: ({ middle }) => `${search('@mail.', 40)}&cursor=${middle.ofContacts}`,
  },
  { name: 'search: a name', path: (_, n) => search(lastNames[n % lastNames.length], 20) },
  { name: 'search: one letter', path: (_, n) => search('aeinor'[n % 6]) },
  { name: 'search: two characters that do not occur', path: (_, n) => search(['zq', 'x+', '_b', 'qq'][n % 4]) },
  { name: 'search: a character that does not occur', path: (_, n) => search('+%_~'[n % 4]) },
  { name: 'search: a letter that does not occur', path: () => search('q') },
  { name: 'search: no match, of common parts', path: () => search('ple.exa') },
  {
    name: 'search: one in a hundred, whole page',
    path: (_, n) => search(`e.${lastNames[n % lastNames.length]}`),
    uneven: true,
  },
  { name: 'contact detail', path: (seeded, n) => `/api/contacts/${encodeURIComponent(addressOf(seeded, n))}` },
  {
    name: 'contact detail, a tenth of all emails',
    path: ({ busiestContact }) => `/api/contacts/${encodeURIComponent(busiestContact)}`,
  },
  { name: 'emails', path: () => '/api/emails' },
  { name: 'emails, from the middle', path: ({ middle }) => `/api/emails?limit=100&cursor=${middle.ofEmails}` },
  { name: 'emails of the big campaign', path: ({ campaignId }) => emails({ campaignId }) },
  { name: 'emails of a contact', path: (seeded, n) => emails({ recipient: addressOf(seeded, n) }) },
  {
    name: 'emails of the contact with a tenth of all',
    path: ({ busiestContact }) => emails({ recipient: busiestContact, limit: 100 }),
  },
  { name: 'emails sent', path: () => emails({ status: 'sent' }) },
  { name: 'emails failed: none', path: () => emails({ status: 'failed' }) },
  {
    name: 'emails failed of the big campaign: none',
    path: ({ campaignId }) => emails({ status: 'failed', campaignId }),
  },
  { name: 'emails queued: none', path: () => emails({ status: 'queued' }) },
  { name: 'emails scheduled', path: () => emails({ status: 'scheduled' }), uneven: true },
  { name: 'emails with a tag of half of all', path: () => emails({ tag: 'news' }) },
  { name: 'emails with a tag of every hundredth', path: () => emails({ tag: 'digest', limit: 10 }) },
  { name: 'emails with a tag of one in 10,000', path: () => emails({ tag: 'rare' }), uneven: true },
  { name: 'emails with an unused tag', path: () => emails({ tag: 'none' }) },
  { name: 'emails from the usual sender', path: () => emails({ from: 'news@lighthouse.example' }) },
  {
    name: 'emails from a sender of every fiftieth',
    path: () => emails({ from: 'harbour@lighthouse.example', limit: 10 }),
  },
  { name: 'emails from an unused sender', path: () => emails({ from: 'nobody@lighthouse.example' }) },
  { name: 'emails since 90 days ago', path: () => emails({ since: daysAgo(90) }) },
  { name: 'emails until 90 days ago', path: () => emails({ until: daysAgo(90) }) },
  { name: 'emails of one week', path: () => emails({ since: daysAgo(97), until: daysAgo(90), limit: 20 }) },
  { name: 'emails with a tag, a sender and a time', path: () => emails({ ...every, limit: 5 }) },
  { name: 'emails delivered', path: () => emails({ state: 'delivered' }) },
  { name: 'emails bounced', path: () => emails({ state: 'bounced' }), uneven: true },
  { name: 'emails complained about', path: () => emails({ state: 'complained' }), uneven: true },
  { name: 'emails pending', path: () => emails({ state: 'pending' }), uneven: true },
  { name: 'emails suppressed: none', path: () => emails({ state: 'suppressed' }), uneven: true },
  { name: 'emails canceled: none', path: () => emails({ state: 'canceled' }), uneven: true },
  { name: 'emails bounced of a sender', path: () => emails({ state: 'bounced', from: every.from }), uneven: true },
  { name: 'emails bounced with a tag: none', path: () => emails({ state: 'bounced', tag: 'digest' }), uneven: true },
  { name: 'email detail', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}` },
  { name: 'events of an email', path: (seeded, n) => `/api/emails/${emailOf(seeded, n)}/events` },
  {
    name: 'events of an email to the contact with a tenth of all',
    path: ({ busiestEmails }, n) => `/api/emails/${busiestEmails[n % busiestEmails.length]}/events`,
  },
  ...pageRequests,
];

const domains = ['mail', 'post', 'inbox', 'letters', 'harbour', 'meadow', 'university', 'workshop'];
const lastNames = ['garcia', 'hopper', 'dijkstra', 'turing', 'martin', 'knuth'];

const every = { tag: 'news', from: 'news@lighthouse.example', since: daysAgo(97), until: daysAgo(90) };

function daysAgo(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

function search(part, limit) {
  const parameters = new URLSearchParams({ search: part, ...(limit && { limit: String(limit) }) });
  return `/api/contacts?${parameters}`;
}

function emails(filter) {
  return `/api/emails?${new URLSearchParams(filter)}`;
}

/** A different contact each time, spread over all of them. */
function addressOf({ contacts }, n) {
  return contacts[(n * 7919) % contacts.length];
}

function localPart(seeded, n) {
  return addressOf(seeded, n).split('@')[0];
}

function emailOf({ emailIds }, n) {
  return emailIds[(n * 7919) % emailIds.length];
}

/** Cursors at a time: lists of emails sort by a time-ordered ID, contacts by time and ID. */
export function cursorsAt(ms) {
  const hex = ms.toString(16).padStart(12, '0');
  const cursor = (...parts) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const email = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
  return {
    ofEmails: cursor(email),
    /** Of a search, after everything but older subjects. */
    ofSubjects: cursor(email, 'older'),
    ofContacts: cursor(new Date(ms).toISOString(), '0'),
  };
}

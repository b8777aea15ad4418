import { URLSearchParams } from 'node:url';

/**
 * What is asked of both sizes. `path` takes what was seeded and the number of the question. Where the small size has
 * fewer matches than a page, `limit` makes the answers equally long, so that only finding them can differ.
 */
export const questions = [
  { name: 'campaign list', path: () => '/api/campaigns' },
  { name: 'campaign detail', path: ({ campaignId }) => `/api/campaigns/${campaignId}` },
  { name: 'contact list', path: () => '/api/contacts' },
  { name: 'search: one contact', path: (seeded, n) => search(localPart(seeded, n)) },
  { name: 'search: a domain', path: (_, n) => search(`@${domains[n % domains.length]}.`, 100) },
  { name: 'search: a name', path: (_, n) => search(lastNames[n % lastNames.length], 20) },
  { name: 'search: one letter', path: (_, n) => search('aeinor'[n % 6]) },
  { name: 'search: two signs nobody has', path: (_, n) => search(['zq', 'x+', '_b', 'qq'][n % 4]) },
  { name: 'search: a sign nobody has', path: (_, n) => search('+%_~'[n % 4]) },
  { name: 'search: a letter nobody has', path: () => search('q') },
  { name: 'search: nobody, of common parts', path: () => search('ple.exa') },
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
];

const domains = ['mail', 'post', 'inbox', 'letters', 'harbour', 'meadow', 'university', 'workshop'];
const lastNames = ['garcia', 'hopper', 'dijkstra', 'turing', 'martin', 'knuth'];

function search(part, limit) {
  const parameters = new URLSearchParams({ search: part, ...(limit && { limit: String(limit) }) });
  return `/api/contacts?${parameters}`;
}

/** A different contact each time, from all over. */
function addressOf({ contacts }, n) {
  return contacts[(n * 7919) % contacts.length];
}

function localPart(seeded, n) {
  return addressOf(seeded, n).split('@')[0];
}

import { performance } from 'node:perf_hooks';
import { fetch } from 'undici';
import { cursorsAt } from './requests.mjs';

const HALF_OF_THE_PERIOD_MS = 90 * 86_400_000;

/** The data of a seeded service that the requests need; part of it is read from the service itself. */
export async function describeService({ address, seeded }) {
  const { apiKey, busiestContact } = seeded;
  const read = async (path) => JSON.parse((await timedRequest(address, apiKey, path)).text);
  const pages = new Map();
  const listing = ['/api/campaigns?limit=100', `/api/campaigns/${seeded.campaignId}?limit=100`];
  for (const path of [...listing, '/api/contacts?limit=100', '/api/contacts?search=%40mail.&limit=40'])
    pages.set(path, (await timedRequest(address, apiKey, path)).next);
  const emailsOf = async (query) => (await read(`/api/emails?${query}`)).emails.map(({ id }) => id);
  const middle = cursorsAt(Date.now() - HALF_OF_THE_PERIOD_MS);
  return {
    ...seeded,
    address,
    middle,
    contacts: (await read('/api/contacts?limit=1000')).map(({ email }) => email),
    emailIds: await emailsOf('limit=1000'),
    busiestEmails: await emailsOf(`recipient=${encodeURIComponent(busiestContact)}&limit=40&cursor=${middle.ofEmails}`),
    next: (path) => pages.get(path),
  };
}

/** Sends one request. Returns the response and the time until it was complete. */
export async function timedRequest(address, apiKey, path) {
  const startedAt = performance.now();
  const response = await fetch(address + path, { headers: { 'x-api-key': apiKey } });
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${text}`);
  return { text, ms, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] };
}

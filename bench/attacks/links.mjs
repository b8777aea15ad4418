import console from 'node:console';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { URL } from 'node:url';
import { fetch } from 'undici';
import { describe } from '../framework/durations.mjs';
import { residentBytes } from '../framework/processor-time.mjs';

/** Reads a campaign in which every recipient has a different link, page by page, to its end. */
export async function readManyLinks(services, links) {
  const backend = await services.migratedBackend();
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Many links', '--plan', 'unlimited');
  const { address, pid } = await services.ours('api', backend, {}, ['--max-old-space-size=256']);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const created = await fetch(`${address}/api/campaigns`, { method: 'POST', headers, body: '{"name":"Many"}' });
  const { id } = await created.json();
  await services.asClient(backend.DATABASE_URL, (client) =>
    client.query(
      `insert into campaign_links (campaign_id, url_hash, url, clicks)
       select $1, sha256(convert_to(n::text, 'UTF8')), 'https://x.example/unsubscribe?token=' || md5(n::text), n % 50
         from generate_series(1, $2::int) n`,
      [id, links],
    ),
  );
  await services.asClient(backend.DATABASE_URL, (client) => client.query('vacuum analyze campaign_links'));
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 20);
  const times = [];
  let read = 0;
  for (let next = `/api/campaigns/${id}`; next !== undefined;) {
    const startedAt = performance.now();
    const response = await fetch(address + next, { headers });
    const body = await response.json();
    times.push(performance.now() - startedAt);
    read += body.links.length;
    next = /<([^>]+)>; rel="next-links"/.exec(response.headers.get('link') ?? '')?.[1];
    if (next?.startsWith('http')) next = next.slice(new URL(next).origin.length);
  }
  clearInterval(watch);
  console.log(`${read} of ${links} links in ${times.length} pages: ${describe(times)}`);
  console.log(`  memory ${(before / 2 ** 20).toFixed(0)} MB before, at most ${(most / 2 ** 20).toFixed(0)} MB`);
}

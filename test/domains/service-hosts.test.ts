import { ServiceHosts } from '../../src/domains/tracking/service-hosts.js';
import type { RunSettings } from '../../src/platform/config/settings.js';
import { countingPages } from '../support/pages-read.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let openDatabase: OpenTestDatabase;

beforeAll(async () => {
  openDatabase = await openTestDatabase();
});
afterAll(() => openDatabase?.close());

/** Anyone may ask for it, and the lookups of all others wait meanwhile. */
it('reads few pages for a domain that its organization has begun to use very often', async () => {
  const { database } = openDatabase;
  await database.query(
    `with o as (insert into organizations (id, name, plan) values (gen_random_uuid(), 'O', 'pro') returning id)
     insert into tracking_base_urls (organization_id, used_from, used_until, domain, base_url)
     select o.id, at, at + interval '1 s', 'click.example', 'https://click.example'
       from o, generate_series('2026-01-01'::timestamptz, '2026-01-01 13:53:20', '1 s') at`,
  );
  await database.query('analyze tracking_base_urls');
  const pages: number[] = [];
  const hosts = new ServiceHosts(countingPages(database, pages), { BASE_URL: 'https://track.test' } as RunSettings);
  expect(await hosts.has('click.example')).toBe(true);
  expect(pages[0]).toBeLessThan(20);
});

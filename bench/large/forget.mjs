import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { beside } from './beside.mjs';

/** A longer deletion is measured up to this time. */
const MOST_SECONDS = 240;
const EVERY_MS = 500;

/** `org delete` of an organization with two contacts for five emails, and four opens or clicks per email. */
export async function deleteOrganization(bench, emails) {
  const { services, backend } = bench;
  const contacts = Math.round(emails * 0.4);
  const { organizationId } = await seeded(bench, [
    '--emails',
    emails,
    '--regular-emails',
    1_000,
    '--contacts',
    contacts,
    '--events',
    emails * 5,
  ]);
  const other = await bench.open();
  const [api, worker] = other.programs;
  const pids = { postgres: services.postgres.pid, api: api.pid, worker: worker.pid };
  return services.withDatabase(backend, (database) =>
    beside(bench, other, pids, async () => {
      await services.run(['dist/cli/main.js', 'org', 'delete', organizationId, '--yes'], backend).exits();
      const left = `select from organizations where id = $1`;
      const startedAt = Date.now();
      const isLate = () => Date.now() - startedAt > MOST_SECONDS * 1000;
      while (!isLate() && (await database.query(left, [organizationId])).length > 0) await setTimeout(EVERY_MS);
      return { ended: !isLate(), left: await rowsLeft(database) };
    }),
  );
}

/** `DELETE /api/contacts/:email` of a contact with many emails. */
export async function eraseContact(bench, emails) {
  const { services, backend } = bench;
  const sizes = ['--emails', 1_000, '--contacts', 1_000, '--regular-emails', emails, '--events', emails * 5];
  const { apiKey, busiestContact } = await seeded(bench, sizes);
  const other = await bench.open();
  const [api, worker] = other.programs;
  const pids = { postgres: services.postgres.pid, api: api.pid, worker: worker.pid };
  const url = other.address.replace('/api/send', `/api/contacts/${encodeURIComponent(busiestContact)}`);
  const erase = () => fetch(url, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
  return services.withDatabase(backend, (database) =>
    beside(bench, other, pids, async () => {
      const startedAt = Date.now();
      const { status } = await erase();
      const requestSeconds = (Date.now() - startedAt) / 1000;
      const left = 'select from contact_erasures limit 1';
      while ((await database.query(left)).length > 0) await setTimeout(EVERY_MS);
      return { status, requestSeconds, foundIn: await tablesWith(database, busiestContact) };
    }),
  );
}

function seeded({ services, backend }, sizes) {
  const parameters = ['--campaigns', 100, ...sizes].map(String);
  return services.cli(backend, 'seed', '--yes', ...parameters);
}

async function rowsLeft(database) {
  const left = {};
  for (const table of ['emails', 'contacts', 'events']) {
    left[table] = (await database.query(`select count(*)::integer as rows from ${table}`))[0].rows;
  }
  return left;
}

async function tablesWith(database, text) {
  const tables = await database.query(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const found = [];
  for (const { name } of tables) {
    const sql = `select from ${name} as t where strpos(lower(t::text), $1) > 0 limit 1`;
    if ((await database.query(sql, [text.toLowerCase()])).length > 0) found.push(name);
  }
  return found;
}

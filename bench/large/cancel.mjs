import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { residentBytes } from '../framework/processor-time.mjs';
import { beside } from './beside.mjs';
import { countsOf, fillQueue } from './queued-mail.mjs';

const EVERY_MS = 100;

/** `org suspend --cancel` of an organization with queued mail. */
export async function cancelOrganization(bench, emails) {
  const { services, backend } = bench;
  const { id, campaignId } = await filled(bench, emails, null);
  const other = await bench.open();
  const [api, worker] = other.programs;
  const pids = { postgres: services.postgres.pid, api: api.pid, worker: worker.pid };
  let most = 0;
  const measured = await beside(bench, other, pids, async () => {
    const command = ['dist/cli/main.js', 'org', 'suspend', id, '--reason', 'Bench', '--cancel'];
    const program = services.run(command, { ...backend, LOG_LEVEL: 'error' });
    let ended = false;
    const ends = program.exits().finally(() => (ended = true));
    while (!ended) {
      try {
        most = Math.max(most, residentBytes(program.pid));
      } catch {
        // It has ended.
      }
      await setTimeout(EVERY_MS);
    }
    await ends;
    return { canceled: JSON.parse(program.printed).canceled };
  });
  return { ...measured, commandMegabytes: most / 2 ** 20, counts: await counted(bench, campaignId) };
}

/** `POST /api/broadcasts/:id/cancel` when one recipient in ten has an email, which waits for a retry. */
export async function cancelBroadcast(bench, emails) {
  const { services, backend } = bench;
  const { campaignId, broadcastId, apiKey } = await filled(bench, emails, randomUUID());
  const other = await bench.open();
  const [api, worker] = other.programs;
  const pids = { postgres: services.postgres.pid, api: api.pid, worker: worker.pid };
  const url = `${other.address.replace('/api/send', '/api/broadcasts')}/${broadcastId}/cancel`;
  const measured = await beside(bench, other, pids, async () => {
    const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': apiKey } });
    if (!response.ok) throw new Error(await response.text());
    await services.withDatabase(backend, async (database) => {
      const left = `select from broadcasts where id = $1 and step_at is not null`;
      while ((await database.query(left, [broadcastId])).length > 0) await setTimeout(EVERY_MS);
    });
  });
  return { ...measured, counts: await counted(bench, campaignId) };
}

function counted({ services, backend }, campaignId) {
  return services.withDatabase(backend, (database) => countsOf(database, campaignId));
}

async function filled({ services, backend }, emails, broadcastId) {
  const { id, apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Large', '--plan', 'unlimited');
  const campaignId = randomUUID();
  await services.withDatabase(backend, async (database) => {
    await database.query(
      `insert into campaigns (id, organization_id, name, created_at) values ($1, $2, 'Large', now())`,
      [campaignId, id],
    );
    if (broadcastId) await insertBroadcast(database, id, campaignId, broadcastId, emails);
    await fillQueue(database, id, campaignId, broadcastId, broadcastId ? emails / 10 : emails);
  });
  return { id, apiKey, campaignId, broadcastId };
}

async function insertBroadcast(database, id, campaignId, broadcastId, emails) {
  await database.query(
    `with message as (
       insert into messages (id, organization_id, subject, html) values (gen_random_uuid(), $1, 'S', '<p>x</p>') returning id
     )
     insert into broadcasts (id, organization_id, campaign_id, name, message_id, sender, status, recipients, emails, started_at, step_at)
     select $3, $1, $2, 'Large', id, 'a@acme.example', 'paused', $4, $4 / 10, now(), null from message`,
    [id, campaignId, broadcastId, emails],
  );
  await database.query(
    `insert into broadcast_recipients (broadcast_id, address_key, address, place)
     select $1, a, a, n from generate_series($2::bigint / 10 + 1, $2::bigint) n, lateral (select md5(n::text) || '@example.com' as a) made`,
    [broadcastId, emails],
  );
}

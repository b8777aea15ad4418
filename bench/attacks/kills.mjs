import console from 'node:console';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { providerStub } from '../send/scenario.mjs';

const EMAILS = 200;
const PROVIDER_MS = 200;
const ROUNDS = 3;
const TIMEOUT_MS = 180_000;

/** Kills a worker during a backlog at a slow provider that accepts any number of calls, and counts second copies. */
export async function killWorkers(services) {
  const provider = await providerStub(services, PROVIDER_MS);
  const backend = await services.migratedBackend();
  const { apiKey } = await services.cli(backend, 'org', 'create', '--name', 'Bench', '--plan', 'unlimited');
  const settings = {
    DELIVERY_PROVIDER: 'sendgrid',
    SENDGRID_API_KEY: 'SG.bench',
    SENDGRID_API_URL: provider.address,
    AMBIGUOUS_RESEND_AFTER_MS: '1000',
  };
  const { address } = await services.ours('api', backend, settings);
  const accepted = async () => Number(await (await fetch(`${provider.address}/`)).text());
  for (let round = 1; round <= ROUNDS; round++) {
    const before = await accepted();
    const worker = await services.ours('worker', backend, settings);
    const sending = sendAll(address, apiKey);
    const killAt = before + 40 + Math.floor(Math.random() * 100);
    while ((await accepted()) < killAt) await setTimeout(5);
    process.kill(worker.pid, 'SIGKILL');
    await sending;
    const next = await services.ours('worker', backend, settings);
    const flagged = await services.asClient(backend.DATABASE_URL, (client) => end(client, round));
    await next.program.stop();
    const copies = (await accepted()) - before - EMAILS;
    console.log(`killed after ${killAt - before} of ${EMAILS} emails: ${copies} second copies, ${flagged} flagged`);
  }
}

async function sendAll(address, apiKey) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', prefer: 'respond-async' };
  const body = JSON.stringify({ from: 'a@acme.example', to: 'b@example.com', subject: 'S', htmlContent: '<p>x</p>' });
  const send = async () => {
    const response = await fetch(`${address}/api/send`, { method: 'POST', headers, body });
    if (response.status !== 202) throw new Error(`A send got ${response.status}`);
    await response.text();
  };
  for (let sent = 0; sent < EMAILS; sent += 20) await Promise.all(Array.from({ length: 20 }, send));
}

/** Waits until no email is unsent. Resolves with the number of flagged ones of this round. */
async function end(client, round) {
  for (let waited = 0; waited < TIMEOUT_MS; waited += 250) {
    const { rows } = await client.query('select count(*)::int as waiting from pending_emails');
    if (rows[0].waiting === 0) break;
    await setTimeout(250);
  }
  const { rows } = await client.query(
    `select count(*) filter (where possible_duplicate)::int as flagged, count(*) filter (where status <> 'sent')::int as unsent
       from (select * from emails order by id desc limit ${EMAILS}) as newest`,
  );
  if (rows[0].unsent > 0) throw new Error(`${rows[0].unsent} emails of round ${round} were not sent`);
  return rows[0].flagged;
}

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { URL, URLSearchParams } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { mailServer } from '../broadcast/mail-server.mjs';
import { freePort } from '../framework/programs.mjs';
import { destination, EMAIL } from '../tutorial/ours.mjs';
import { setUpCampaign } from './parcelvoy-campaign.mjs';

// Parcelvoy (https://github.com/parcelvoy/platform, MIT licence): an API and a worker on MySQL and Redis. An email is
// one send of a triggered campaign to a user of its own. A click becomes two jobs, one of which adds a row.
const SECRET = 'bench-secret-of-32-characters-00';
const ACCOUNT = { email: 'bench@example.com', password: 'bench-password' };
const MIGRATION_DEADLINE_MS = 600_000;
const PACKAGES = ['bullmq', 'koa', 'knex', 'mysql2', 'nodemailer'];
const CLICKED = `select count(*) as stored from user_events where name = 'email_clicked'`;

/** @param directory a checkout in which `npm ci` and, in apps/platform, `npx tsc --build` ran */
function describe(directory) {
  const folders = [join(directory, 'apps/platform'), directory];
  const versionIn = (path) => {
    const file = folders.map((folder) => join(folder, path, 'package.json')).find((name) => existsSync(name));
    return JSON.parse(readFileSync(file, 'utf8')).version;
  };
  const versions = PACKAGES.map((name) => `${name} ${versionIn(`node_modules/${name}`)}`);
  return `Parcelvoy ${versionIn('.')} (commit ${commitOf(directory)}) with ${versions.join(', ')}`;
}

function commitOf(directory) {
  return execFileSync('git', ['-C', directory, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
}

/** @returns a contestant of `compareWith`. @param {{ url: URL, pid: number }} mysql */
export async function start(directory, { services, mysql }) {
  const stub = await mailServer(services);
  const folder = join(directory, 'apps/platform');
  const fromPeer = createRequire(join(folder, 'package.json'));
  const database = `bench_${process.pid}`;
  const connection = await fromPeer('mysql2/promise').createConnection({ uri: mysql.url.href });
  services.closeFirst(() => connection.query(`drop database if exists ${database}`).finally(() => connection.end()));
  await allowNoPassword(services);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const environment = environmentOf(address, new URL(services.redis.url), mysql.url, database);
  const run = (runner) =>
    services.run(['build/boot.js'], { ...environment, PORT: String(port), RUNNER: runner }, folder);
  const api = run('api');
  await api.responds(`${address}/api/health`, 500, MIGRATION_DEADLINE_MS);
  const worker = run('worker');
  const campaign = await setUpCampaign(`${address}/api`, { account: ACCOUNT, mailServer: new URL(stub.address) });
  await connection.changeUser({ database });
  const pids = { API: api.pid, worker: worker.pid, Redis: services.redis.pid, database: mysql.pid };
  const user = { external_id: 'reader-{{turn}}', email: EMAIL.to };
  const [[{ version }]] = await connection.query('select version() as version');
  return {
    name: 'Parcelvoy',
    stub,
    notes: [describe(directory), `Its database: ${version}.`],
    send: {
      address: `${address}/api/client/campaigns/${campaign.id}/trigger`,
      authorization: `Bearer ${campaign.apiKey}`,
      body: JSON.stringify({ user, event: {} }),
    },
    pids,
    clicks: async () => ({
      address,
      paths: await clickPaths(fromPeer, connection, campaign.id),
      pids,
      settled: () => untilDone(services),
      stored: async () => Number((await connection.query(CLICKED))[0][0].stored),
    }),
    stop: () => Promise.all([api.stop(), worker.stop()]),
  };
}

/** Its queue sends no password to Redis, regardless of the settings. */
async function allowNoPassword(services) {
  const redis = new Redis(services.redis.url);
  await redis.call('acl', 'setuser', 'default', 'nopass');
  await redis.quit();
}

function environmentOf(address, redis, mysql, database) {
  return {
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    APP_SECRET: SECRET,
    BASE_URL: `${address}/api`,
    API_BASE_URL: `${address}/api`,
    DB_CLIENT: 'mysql2',
    DB_HOST: mysql.hostname,
    DB_PORT: mysql.port || '3306',
    DB_USERNAME: mysql.username,
    DB_PASSWORD: mysql.password,
    DB_DATABASE: database,
    QUEUE_DRIVER: 'redis',
    REDIS_HOST: redis.hostname,
    REDIS_PORT: redis.port,
    REDIS_CONCURRENCY: '20',
    STORAGE_DRIVER: 'local',
    AUTH_DRIVER: 'basic',
    AUTH_BASIC_NAME: 'Bench',
    AUTH_BASIC_EMAIL: ACCOUNT.email,
    AUTH_BASIC_PASSWORD: ACCOUNT.password,
  };
}

/** The links of emails that were sent, as Parcelvoy puts them into their HTML. */
async function clickPaths(fromPeer, connection, campaignId) {
  process.env.APP_SECRET = SECRET;
  const { encodeHashid } = fromPeer('./build/utilities');
  const sends = `select user_id as user, reference_id as reference from campaign_sends where state = 'sent' limit 10000`;
  const [rows] = await connection.query(sends);
  return rows.map(({ user, reference }, index) => {
    const query = { u: encodeHashid(user), c: encodeHashid(campaignId), s: reference };
    return `/api/c?${new URLSearchParams({ ...query, r: encodeURIComponent(destination(index)) })}`;
  });
}

/** Resolves when no job is left. */
async function untilDone(services) {
  const queue = new Queue('parcelvoy', { connection: { url: services.redis.url } });
  for (;;) {
    const jobs = await queue.getJobCountByTypes('waiting', 'active', 'prioritized', 'delayed');
    if (jobs === 0) break;
    await setTimeout(20);
  }
  await queue.close();
}

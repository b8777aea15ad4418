import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { generateEmailTrackingId } from '../../dist/links/email-tracking-id.js';
import { signLink } from '../../dist/links/link-token.js';
import { loadSigningKeys } from '../../dist/links/signing-key-store.js';
import { EVENT_STREAM } from '../../dist/events/stream/stream-keys.js';
import { mailServer } from '../broadcast/mail-server.mjs';
import { storeSentMail } from '../flush/sent-mail.mjs';
import { newsletter } from '../send/newsletter.mjs';
import { ours } from '../send/scenario.mjs';

const LINKS = 30;
/** Campaigns of 2,000 emails each, so that no email gets as many clicks as only a scanner makes. */
const CAMPAIGNS_CLICKED = 5;

/** The email that every contestant sends, to one of 500 readers in turn. */
export const EMAIL = {
  from: 'news@harbour.test',
  to: 'reader-{{turn}}@example.com',
  subject: 'News',
  htmlContent: newsletter(),
};

/** One API and one worker that send over SMTP, then tracking and flusher. */
export async function ourSender(services) {
  const stub = await mailServer(services);
  const backend = await services.migratedBackend();
  const smtp = { DELIVERY_PROVIDER: 'smtp', SMTP_URL: stub.address, SENDGRID_API_URL: 'http://127.0.0.1:9' };
  const { address, apiKey, programs, stop } = await ours(services, stub, backend, smtp);
  const [api, worker] = programs;
  return {
    stub,
    send: { address, apiKey, body: JSON.stringify(EMAIL) },
    pids: { API: api.pid, worker: worker.pid, ...storesOf(services) },
    clicks: () => ourClicks(services, backend),
    stop,
  };
}

export function storesOf(services) {
  return { Redis: services.redis.pid, database: services.postgres.pid };
}

async function ourClicks(services, backend) {
  const edge = await services.ours('tracking', backend, { EVENTS_PER_EMAIL_PER_MINUTE: '65535' });
  const flusher = await services.ours('flusher', backend);
  const redis = new Redis(backend.REDIS_URL);
  services.closeFirst(async () => redis.disconnect());
  const paths = await services.withDatabase(backend, async (database) => {
    const keys = await loadSigningKeys(database);
    const ids = [];
    for (let campaign = 0; campaign < CAMPAIGNS_CLICKED; campaign++) ids.push(...(await sentMail(database, keys)));
    return ids.map((emailTrackingId, index) => {
      const position = index % LINKS;
      return `/api/t/c/${signLink(keys, { emailTrackingId, position, url: destination(position) })}`;
    });
  });
  const settled = async () => {
    while ((await redis.xlen(EVENT_STREAM)) > 0) await setTimeout(10);
  };
  const count = `select count(*)::int as stored from events where type = 'clicked'`;
  const stored = () =>
    services.asClient(backend.DATABASE_URL, async (client) => (await client.query(count)).rows[0].stored);
  const pids = { API: edge.pid, worker: flusher.pid, ...storesOf(services) };
  return { address: edge.address, paths, pids, settled, stored };
}

/** @returns the tracking IDs of a campaign */
async function sentMail(database, keys) {
  const { emails } = await storeSentMail(database);
  const ids = emails.map(() => generateEmailTrackingId(keys, randomBytes(12)));
  await database.query(
    'update emails e set tracking_id = n.tracking_id from unnest($1::uuid[], $2::text[]) n (id, tracking_id) where e.id = n.id',
    [emails.map(({ id }) => id), ids],
  );
  return ids;
}

export function destination(index) {
  return `https://www.harbour.test/stories/${index % LINKS}?utm_source=newsletter&utm_medium=email`;
}

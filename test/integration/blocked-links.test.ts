import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { signLink } from '../../src/links/link-token.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { blockLinks, unblockLinks, type LinkBlock } from '../../src/links/blocking/blocked-links.js';
import { runCommand } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** A change of the list takes effect within this time. */
const EFFECTIVE_MS = 5_000;

let service: TestService;
let edges: TestService[] = [];
let cable: TcpProxy;
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,worker,flusher' } });
  cable = await TcpProxy.before(new URL(service.settings.DATABASE_URL));
  const settings = { ...service.settings, DATABASE_URL: cable.through(service.settings.DATABASE_URL) };
  const beside = { settings, mailServer: service.mailServer };
  for (let index = 0; index < 2; index++)
    edges.push(await TestService.start({ beside, environment: { ROLES: 'tracking' } }));
  [client, other] = [await service.organization(), await service.organization()];
});
afterAll(async () => {
  cable?.release();
  for (const edge of edges) await edge.stop();
  edges = [];
  await service?.stop();
  await cable?.goDown();
});

interface Sent {
  readonly id: string;
  readonly trackingId: string;
  readonly link: string;
}

async function sent(by: TestClient, url: string): Promise<Sent> {
  const email = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: `<a href="${url}">x</a>` };
  const { body } = await by.post<SendResponse>('/api/send', email);
  // The response has no links if Redis is slow.
  const { id, links } = await eventually(async () => {
    const { body: detail } = await by.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    return detail.status === 'sent' && detail;
  });
  return { id, trackingId: body.emailTrackingId, link: links[0]!.trackingUrl };
}

async function everywhere(link: string, status: number): Promise<Response[]> {
  return Promise.all(
    edges.map((edge) =>
      eventually(async () => {
        const response = await edge.track(link, { headers: { 'accept-language': 'de-AT, en;q=0.5' } });
        return response.status === status && response;
      }, EFFECTIVE_MS),
    ),
  );
}

async function isBlockedEverywhere(block: LinkBlock, blocked: Sent, free: Sent): Promise<void> {
  await everywhere(blocked.link, 302);
  await blockLinks(service.database, block);
  await everywhere(blocked.link, 403);
  await everywhere(free.link, 302);
  await unblockLinks(service.database, block);
  await everywhere(blocked.link, 302);
}

describe('`cli links block --host HOST | --email ID | --org ID`, `unblock`', () => {
  it('by host: within 5 seconds everywhere, and redirects again when unblocked', async () => {
    const blocked = await sent(client, 'https://www.paypal.example@login.evil.example/x');
    await isBlockedEverywhere(
      { kind: 'host', value: 'evil.example' },
      blocked,
      await sent(client, 'https://good.example/'),
    );
  });

  it('by email', async () => {
    const [blocked, free] = [await sent(client, 'https://a.example/'), await sent(client, 'https://a.example/')];
    await isBlockedEverywhere({ kind: 'email', value: blocked.trackingId }, blocked, free);
  });

  it('by organization', async () => {
    const [blocked, free] = [await sent(client, 'https://a.example/'), await sent(other, 'https://a.example/')];
    await isBlockedEverywhere({ kind: 'organization', value: client.organizationId }, blocked, free);
  });

  it('by organization: also links of an earlier release, whose tracking IDs carry no tag', async () => {
    const keys = await loadSigningKeys(service.database);
    const old = async (by: TestClient, fill: number): Promise<Sent> => {
      const { id } = await sent(by, 'https://a.example/');
      const trackingId = generateEmailTrackingId(keys, Buffer.alloc(12, fill));
      await service.database.query('update emails set tracking_id = $2 where id = $1', [id, trackingId]);
      const token = signLink(keys, { emailTrackingId: trackingId, position: 0, url: 'https://a.example/' });
      return { id, trackingId, link: `http://track.test/api/t/c/${token}` };
    };
    await isBlockedEverywhere(
      { kind: 'organization', value: client.organizationId },
      await old(client, 1),
      await old(other, 2),
    );
  });
});

it('`cli org suspend --links`: tracked links return a plain page instead of a redirect, until `resume`', async () => {
  const [link, free] = [await sent(client, 'https://a.example/'), await sent(other, 'https://a.example/')];
  const org = (...words: string[]) => runCommand({ DATABASE_URL: service.settings.DATABASE_URL }, 'org', ...words);
  const id = client.organizationId;
  const suspend = ['suspend', id, '--reason', 'Phishing'];
  expect((await org(...suspend)).code).toBe(0);
  await everywhere(link.link, 302);
  expect((await org(...suspend, '--links')).code).toBe(0);
  const [response] = await everywhere(link.link, 403);
  expect(response!.headers.get('content-type')).toContain('text/html');
  await everywhere(free.link, 302);
  expect((await org('resume', id)).code).toBe(0);
  await everywhere(link.link, 302);
});

it('a process that cannot read the list does not start, because it would redirect blocked links', async () => {
  await service.database.query('alter table blocked_links rename to hidden_links');
  try {
    const started = TestService.start({ beside: service, environment: { ROLES: 'tracking' } });
    await expect(started.then((edge) => edge.stop())).rejects.toThrow('blocked_links');
  } finally {
    await service.database.query('alter table hidden_links rename to blocked_links');
  }
});

describe('a blocked click', () => {
  const block = { kind: 'host', value: 'evil.example' } as const;
  let email: Sent;

  beforeAll(async () => {
    email = await sent(client, 'https://evil.example/secret');
    await blockLinks(service.database, block);
    await everywhere(email.link, 403);
  });
  afterAll(() => unblockLinks(service.database, block));

  it("gets a plain page in the reader's language: no scripts, not stored, and without the destination", async () => {
    const [response] = await everywhere(email.link, 403);
    const text = await response!.text();
    expect(text).toContain('<html lang="de"');
    expect(text).toContain('<h1>Dieser Link ist gesperrt</h1>');
    expect(text).not.toMatch(/<script|evil\.example/);
    expect(response!.headers.get('location')).toBeNull();
    expect(response!.headers.get('cache-control')).toBe('no-store');
    expect(response!.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('returns the same to HEAD', async () => {
    const response = await edges[0]!.track(email.link, { method: 'HEAD' });
    expect(response.status).toBe(403);
    expect(response.headers.get('location')).toBeNull();
  });

  it('is counted as blocked, and not as a click', async () => {
    const metrics = await edges[0]!.metrics.metrics();
    expect(metrics).toMatch(/^mailbeacon_blocked_clicks_total\{kind="host"\} [1-9]/m);
    expect(metrics).toMatch(/^mailbeacon_blocked_links\{kind="host"\} 1$/m);
    expect(metrics).toMatch(/^mailbeacon_tracking_requests_total\{kind="click",outcome="blocked"\} [1-9]/m);
    const blocked = await sent(client, 'https://evil.example/other');
    expect((await edges[0]!.track(blocked.link)).status).toBe(403);
    const clicked = await sent(client, 'https://good.example/');
    await edges[0]!.track(clicked.link);
    const clicksOf = async ({ id }: Sent) => (await client.get<{ clicks: number }>(`/api/emails/${id}`)).body.clicks;
    await eventually(async () => (await clicksOf(clicked)) === 1);
    expect(await clicksOf(blocked)).toBe(0);
  });

  it('stays blocked while Postgres is down, and other links still redirect', async () => {
    const free = await sent(other, 'https://good.example/');
    await blockLinks(service.database, { kind: 'organization', value: client.organizationId });
    const byOrganization = await sent(client, 'https://good.example/');
    await everywhere(byOrganization.link, 403);
    await everywhere(free.link, 302);
    cable.hold();
    for (const edge of edges) {
      expect((await edge.track(email.link)).status).toBe(403);
      expect((await edge.track(byOrganization.link)).status).toBe(403);
      expect((await edge.track(free.link)).status).toBe(302);
    }
    cable.release();
    await unblockLinks(service.database, { kind: 'organization', value: client.organizationId });
    await everywhere(byOrganization.link, 302);
  });
});

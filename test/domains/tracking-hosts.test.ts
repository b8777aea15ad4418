import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { signUnsubscription } from '../../src/links/unsubscribe-token.js';
import { eventually } from '../support/eventually.js';
import { rawRequest } from '../support/raw-http.js';
import type { TestClient } from '../support/service.js';
import { TrackingDomainBed } from '../support/tracking-domain-bed.js';

const DOMAIN = 'click.owner.example';

let bed: TrackingDomainBed;
let owner: TestClient;
let other: TestClient;
let ofOwner: Paths;
let ofOther: Paths;

interface Paths {
  readonly link: string;
  readonly pixel: string;
  readonly unsubscribe: string;
}

beforeAll(async () => {
  bed = await TrackingDomainBed.start();
  [owner, other] = [await bed.service.organization(), await bed.service.organization()];
  [ofOwner, ofOther] = [await pathsOf(owner), await pathsOf(other)];
});
afterAll(() => bed?.stop());

/** The tracking addresses of a new email, without their host. */
async function pathsOf(client: TestClient): Promise<Paths> {
  const { body } = await client.post<SendResponse>('/api/send', {
    ...{
      from: 'a@acme.example',
      to: 'ada@example.com',
      subject: 'S',
      htmlContent: '<a href="https://a.example/">x</a>',
    },
  });
  const { emailTrackingId } = body;
  const keys = await loadSigningKeys(bed.service.database);
  const sender = { address: 'a@acme.example' };
  return {
    link: new URL(body.links![0]!.trackingUrl).pathname,
    pixel: `/api/t/o/${emailTrackingId}`,
    unsubscribe: `/api/t/u/${signUnsubscription(keys, { emailTrackingId, sender, recipient: 'ada@example.com' })}`,
  };
}

/** @returns the status of the response to a request with this `Host` */
async function statusAt(host: string, path: string, method = 'GET'): Promise<number> {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
  const response = await rawRequest(Number(new URL(bed.service.address).port), `${head}\r\n`);
  return Number(response.split(' ')[1]);
}

it('a tracking domain serves its organization alone, before and after it is deleted', async () => {
  expect(await statusAt(DOMAIN, ofOther.link)).toBe(302);
  const domain = await bed.use(DOMAIN, owner);
  await eventually(async () => (await statusAt(DOMAIN, ofOther.link)) === 404);
  for (const host of [`${DOMAIN}:8080`, DOMAIN.toUpperCase(), `${DOMAIN}.`, `${DOMAIN}.:443`]) {
    expect(await statusAt(host, ofOther.link)).toBe(404);
    expect(await statusAt(host, ofOwner.link)).toBe(302);
  }
  await owner.delete(`/api/tracking-domains/${domain.id}`);
  expect(await statusAt(DOMAIN, ofOther.link)).toBe(404);
  expect(await statusAt(DOMAIN, ofOwner.link)).toBe(302);
});

it('its unsubscribe page, other methods and other parsers know it, too, but its pixel shows nothing anyway', async () => {
  for (const method of ['GET', 'HEAD', 'POST']) expect(await statusAt(DOMAIN, ofOther.unsubscribe, method)).toBe(404);
  expect(await statusAt(DOMAIN, ofOwner.unsubscribe)).toBe(200);
  expect(await statusAt(DOMAIN, ofOther.link, 'HEAD')).toBe(404);
  // Node's parser accepts a tab before a value, and the fast path leaves the request to it.
  expect(await statusAt(`\t${DOMAIN}\r\nX-Folded: a\tb`, ofOther.link)).toBe(404);
  expect(await statusAt(DOMAIN, ofOther.pixel)).toBe(200);
});

it('requests at the domain of another organization are counted for operators', async () => {
  const metrics = await (await fetch(`${bed.service.operatorAddress}/metrics`)).text();
  const counted = /mailbeacon_tracking_requests_total\{kind="click",outcome="wrong-domain"\} (\d+)/.exec(metrics)!;
  expect(Number(counted[1])).toBeGreaterThanOrEqual(8);
  expect(metrics).toMatch(/mailbeacon_unsubscribe_requests_total\{outcome="wrong-domain"\} 3\n/);
});

it('hosts that are no tracking domain serve all organizations', async () => {
  for (const host of ['track.test', 'localhost', 'other.example', `x.${DOMAIN}`, '127.0.0.1:3000', '']) {
    expect(await statusAt(host, ofOther.link)).toBe(302);
    expect(await statusAt(host, ofOwner.link)).toBe(302);
  }
});

it('a domain that another organization has taken over serves the mail of both', async () => {
  await bed.use(DOMAIN, other);
  await eventually(async () => (await statusAt(DOMAIN, ofOther.link)) === 302);
  expect(await statusAt(DOMAIN, ofOwner.link)).toBe(302);
  expect(await statusAt(DOMAIN, (await pathsOf(await bed.service.organization())).link)).toBe(404);
});

it('the host of BASE_URL serves all organizations, even where one of them has used it as its domain', async () => {
  const [baseHost, known] = [new URL(bed.service.settings.BASE_URL).hostname, 'later.owner.example'];
  await bed.service.database.query(
    `insert into tracking_base_urls (organization_id, used_from, used_until, domain, base_url)
     select $1, $2::timestamptz + n * interval '1 s', $2::timestamptz + (n + 1) * interval '1 s', domain, 'https://' || domain
       from unnest($3::text[]) with ordinality d (domain, n)`,
    [owner.organizationId, new Date(bed.now), [baseHost, known]],
  );
  await eventually(async () => (await statusAt(known, ofOther.link)) === 404);
  for (const path of [ofOther.link, ofOther.unsubscribe]) expect(await statusAt(baseHost, path)).not.toBe(404);
});

import fc from 'fast-check';
import { request } from 'undici';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import { expectAgreement, type CountedEmail } from '../support/engagement-model/agreement.js';
import { shownFigures } from '../support/engagement-model/shown-figures.js';
import { CAMPAIGNS, PEOPLE } from '../support/engagement-model/steps.js';
import { AGENTS, type AgentName } from '../support/engagement-model/verdicts.js';
import { eventually } from '../support/eventually.js';
import { randomRuns } from '../support/random-runs.js';
import { TestService, type TestClient } from '../support/service.js';
import { listEmails, trackEmail } from '../support/tracked-emails.js';

/*
 * More hits at once than are stored one by one, through two edges and two flushers. Every hit counts once, and the
 * figures of emails, links, campaigns, contacts and hours agree with each other.
 */

const LIMITS = {
  EVENTS_PER_EMAIL_PER_MINUTE: '8',
  BUDGET_EVENTS_PER_EMAIL_PER_MINUTE: '4',
  RATE_LIMIT_PER_MINUTE: '0',
};

let services: TestService[];

const RUNS = randomRuns(2, 3);

beforeAll(async () => {
  const first = await TestService.start({ environment: LIMITS });
  const second = await TestService.start({ beside: first, environment: { ...LIMITS, ROLES: 'tracking,flusher' } });
  services = [first, second];
});
afterAll(async () => {
  for (const service of services?.toReversed() ?? []) await service.stop();
});

interface Tracked extends CountedEmail {
  /** Of the pixel and the links. */
  readonly urls: readonly string[];
}

const emails = fc.array(
  fc.record({
    to: fc.uniqueArray(fc.constantFrom(...PEOPLE), { minLength: 1, maxLength: 2 }),
    campaign: fc.constantFrom(...CAMPAIGNS),
    links: fc.constantFrom(0, 1, 4),
  }),
  { minLength: 1, maxLength: 5 },
);
/** In groups that arrive together. */
const hits = fc.array(
  fc.array(
    fc.record({
      ...{ email: fc.nat(4), url: fc.nat(4), service: fc.nat(1) },
      agent: fc.constantFrom(...(Object.keys(AGENTS) as AgentName[])),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  { minLength: 1, maxLength: 5, size: 'max' },
);

async function track(
  client: TestClient,
  { to, campaign, links }: { to: string[]; campaign: string | null; links: number },
) {
  const urls = Array.from({ length: links }, (_, index) => `https://shop.example/${index % 3}`);
  const htmlContent = `<p>x</p>${urls.map((url) => `<a href="${url}">x</a>`).join('')}`;
  const {
    id,
    pixelUrl,
    links: tracked,
  }: TrackResponse = await trackEmail(client, {
    ...{ to, htmlContent, campaignId: campaign },
  });
  return { id, to, campaign, urls: [pixelUrl, ...tracked.map(({ trackingUrl }) => trackingUrl)] };
}

it('all figures agree, however many hits arrive at once', async () => {
  await fc.assert(
    fc.asyncProperty(emails, hits, async (wanted, groups) => {
      const begun = Date.now();
      const client = await services[0]!.organization();
      const tracked: Tracked[] = [];
      for (const one of wanted) tracked.push(await track(client, one));
      for (const group of groups) {
        await Promise.all(
          group.map(async ({ email, url, service, agent }) => {
            const { urls } = tracked[email % tracked.length]!;
            const { pathname } = new URL(urls[url % urls.length]!);
            const response = await request(services[service]!.address + pathname, { headers: AGENTS[agent].headers });
            await response.body.dump();
          }),
        );
      }
      await eventually(async () => {
        const counted = (await listEmails(client)).reduce((total, { opens, clicks }) => total + opens + clicks, 0);
        return counted === groups.flat().length;
      });
      expectAgreement(await shownFigures(client, begun), tracked);
    }),
    RUNS,
  );
});

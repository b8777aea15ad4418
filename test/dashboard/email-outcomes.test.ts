import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const ONE = 'one@example.com';
const TWO = 'two@example.com';
const BITS = { deferred: 1, delivered: 2, bounced: 4, complained: 8 };

/** Subjects of emails, what became of their recipients, and the badges of the email. */
const EMAILS: readonly (readonly [subject: string, Readonly<Record<string, keyof typeof BITS>>, badges: string[]])[] = [
  ['Arrived', { [ONE]: 'delivered', [TWO]: 'delivered' }, ['sent good']],
  ['Came back', { [ONE]: 'bounced', [TWO]: 'bounced' }, ['bounced bad']],
  ['Half of it came back', { [ONE]: 'delivered', [TWO]: 'bounced' }, ['sent good', 'bounced bad']],
  ['Unwelcome', { [ONE]: 'complained', [TWO]: 'bounced' }, ['complained bad']],
  ['Late', { [ONE]: 'deferred' }, ['sent good', 'deferred warn']],
];

let started: DashboardOfUser;
let page: Page;
let campaign: string;

const isSent = async (trackingId: string): Promise<boolean> =>
  (await started.organization.get<{ status: string }>(`/api/emails/${trackingId}`)).body.status === 'sent';

async function badgesOf(place: Locator): Promise<string[]> {
  await place.locator('.badge').first().waitFor();
  const badges = await place.locator('.badge').all();
  return Promise.all(
    badges.map(async (badge) => `${await badge.textContent()} ${(await badge.getAttribute('class'))!.slice(6)}`),
  );
}

journeys('the badge of an email', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    const { organization, service } = started;
    for (const [subject, states] of EMAILS) {
      const email = {
        from: 'ada@acme.example',
        to: [ONE, TWO],
        subject,
        htmlContent: '<p>Hi</p>',
        campaignId: 'Spring',
      };
      const { body } = await organization.post<{ emailTrackingId: string }>('/api/send', email);
      await eventually(() => isSent(body.emailTrackingId), STEP_MS);
      for (const [address, state] of Object.entries(states)) {
        await service.database.query(
          `insert into recipient_deliveries (email_id, address, state, facts)
           select id, $2, 'accepted', $3 from emails where tracking_id = $1`,
          [body.emailTrackingId, address, BITS[state]],
        );
      }
    }
    const { body } = await organization.get<{ campaigns: { id: string }[] }>('/api/campaigns');
    campaign = body.campaigns[0]!.id;
    page = await signedInPage(started.browser, service, started.email);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it.each(EMAILS)(
    'of "%s" shows the worst that became of a recipient',
    async (subject, _states, badges) => {
      await page.goto(`${started.service.address}/`);
      const item = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: subject, exact: true }) });
      expect(await badgesOf(item)).toEqual(badges);
      for (const path of ['/emails', `/campaigns/${campaign}`]) {
        await page.goto(started.service.address + path);
        const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: subject, exact: true }) });
        expect(await badgesOf(row)).toEqual(badges);
      }
      await goTo(page, 'Emails');
      await page.getByRole('link', { name: subject, exact: true }).click();
      await page.getByRole('heading', { name: subject, level: 1 }).waitFor();
      expect(await badgesOf(page.locator('.titles'))).toEqual(badges);
    },
    JOURNEY_MS,
  );

  it(
    'is beside the link from the timeline of a contact',
    async () => {
      await page.goto(`${started.service.address}/contacts/${encodeURIComponent(TWO)}`);
      await page.getByRole('link', { name: 'Came back', exact: true }).click({ timeout: STEP_MS / 3 });
      await page.getByRole('heading', { name: 'Came back', level: 1 }).waitFor();
    },
    JOURNEY_MS,
  );
});

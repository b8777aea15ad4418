import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { goTo, JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { livePage, report } from './live-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

/** Shorter than the time after which a page that gets live changes polls. */
const SOON = { timeout: STEP_MS / 3 };
const FIRST_PAGE = /\/api\/suppressions\?(?!.*cursor=)/;
const FURTHER_PAGE = /\/api\/suppressions\?.*cursor=/;

let started: StartedDashboard;

journeys('the beginning of a list is read again', () => {
  beforeAll(async () => void (started = await startDashboard({ RATE_LIMIT_PER_MINUTE: '0' })), JOURNEY_MS);
  afterAll(() => started?.stop());

  /** A user of an organization with more than two pages of suppressed addresses. */
  async function newOrganization() {
    const organization = await started.service.organization('pro', 'Long list');
    const addresses = Array.from({ length: 120 }, (_, place) => `gone${place}@example.com`);
    await organization.post('/api/suppressions', { addresses });
    return { organization, email: (await newUser(started.service, organization.organizationId, 'viewer')).email };
  }

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Suppressions' }).locator('tr.row');

  /** Shows the second page of the list, too. */
  async function showSecond(page: Page): Promise<void> {
    const rows = rowsOf(page);
    await rows.first().waitFor();
    await page.evaluate('scrollTo({ top: document.body.scrollHeight })');
    await eventually(async () => (await rows.count()) === 100, STEP_MS);
    await page.evaluate('scrollTo({ top: 0 })');
  }

  function hold() {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    return { held, release };
  }

  it(
    'and if that fails, the page says so, whatever becomes of a further page',
    async () => {
      const { email } = await newOrganization();
      const page = await livePage(started.browser, started.service, email);
      await goTo(page, 'Suppressions');
      await showSecond(page);
      const notice = page.getByRole('status').filter({ hasText: 'no longer up to date' });
      await page.route(FIRST_PAGE, (route) => route.fulfill({ status: 400, json: { error: 'It is broken' } }));
      await report(page, 'email.bounced');
      await notice.getByText('It is broken').waitFor(SOON);
      const { held, release } = hold();
      await page.route(FURTHER_PAGE, async (route) => {
        await held;
        await route.continue();
      });
      await page.evaluate('scrollTo({ top: document.body.scrollHeight })');
      await page.getByRole('button', { name: 'Loading …' }).waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await notice.count()).toBe(1);
      release();
      await page.getByText('gone0@example.com', { exact: true }).waitFor(SOON);
      expect(await notice.count()).toBe(1);
      await page.unroute(FIRST_PAGE);
      await report(page, 'email.bounced');
      await notice.waitFor({ ...SOON, state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

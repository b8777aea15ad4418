import type { Page } from 'playwright-core';
import { providerPauseKey, type PauseCause } from '../../src/emails/delivery/provider-pause-key.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { addProvider } from '../support/own-providers.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;
let id: string;

journeys('a provider of the organization that is paused', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
    const tracked = { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' };
    await started.organization.post('/api/emails', tracked);
    ({ id } = await addProvider(started.organization, 'mailgun', 'Marketing'));
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  async function openPaused(cause: PauseCause): Promise<Page> {
    const redis = connectForBlocking(started.service.settings.REDIS_URL);
    await eventually(() => redis.status === 'ready');
    await redis.set(providerPauseKey(`${id}.1`), cause, 'PX', 3_600_000);
    redis.disconnect();
    return signedInPage(started.browser, started.service, started.email);
  }

  it(
    'because it may or may not accept emails is not said to refuse its credentials',
    async () => {
      const page = await openPaused('failing');
      const attention = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Marketing' }) });
      await attention.waitFor(SOON);
      expect(await attention.textContent()).toBe('Marketing: the provider leaves open whether it accepts emails');
      await page.goto(`${started.service.address}/providers/${id}`);
      await page.getByText(/Sending is retried/).waitFor(SOON);
      await page.getByText(/^The provider leaves open whether it accepts emails\. You do not need to do/).waitFor(SOON);
      expect(await page.getByText('refuses the credentials').count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'because it refuses its credentials is not left to the operator of the service',
    async () => {
      const page = await openPaused('credential-refused');
      await goTo(page, 'Settings');
      const state = page.getByRole('region', { name: 'Email provider' });
      await state.getByText('credential refused').waitFor(SOON);
      await state.getByText(/^If it is your own, replace its credentials under Providers/).waitFor(SOON);
      expect(await state.getByText('of this service').count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { eventually } from '../support/eventually.js';
import { isTitled, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('a failure in plain words', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'says that the service cannot be reached, and the page comes by itself once it can be',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.route('**/api/**', (route) => route.abort());
      await page.goto(`${started.service.address}/emails`);
      await page.getByRole('alert').getByText('The service cannot be reached.').waitFor(SOON);
      expect(await page.getByText('Failed to fetch').count()).toBe(0);
      await page.unroute('**/api/**');
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is beside the field of a draft that it is about, and names fields as their labels do',
    async () => {
      const { page } = await openDraft(started);
      await page.getByLabel('Emails a minute').fill('0');
      const sending = page.locator('.card').filter({ has: page.getByRole('heading', { name: '4. Send' }) });
      await sending.getByRole('alert').getByText('Emails a minute must be at least 1').waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(1);
      await page.getByLabel('Emails a minute').fill('');
      await page.getByLabel('From', { exact: true }).fill('nobody');
      await page
        .getByRole('alert')
        .getByText(/^From must be one email address/)
        .waitFor(SOON);
      expect(await page.getByRole('alert').count()).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'says once that the session has ended',
    async () => {
      const { page } = await openDraft(started);
      // Work that is not saved, which keeps the page open.
      await page.getByLabel('Emails a minute').fill('0');
      await page.getByRole('status').getByText('Not saved').waitFor(SOON);
      await page.context().clearCookies();
      await page.getByLabel('Subject').fill('Typed later');
      const alert = page.getByRole('alert');
      await alert.getByText('Your session has ended').waitFor(SOON);
      await eventually(async () => (await alert.count()) === 1, SOON.timeout);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it.each([
    ['campaigns', 'Campaign', 'Campaigns'],
    ['emails', 'Email', 'Emails'],
    ['domains/tracking', 'Tracking domain', 'Domains'],
  ])(
    'of %s says that there is none, and leads to the list',
    async (path, item, list) => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.goto(`${started.service.address}/${path}/unknown`);
      await page.getByRole('heading', { name: `${item} not found`, level: 1 }).waitFor(SOON);
      await isTitled(page, `${item} not found`);
      await page.getByRole('main').getByRole('link', { name: list }).click();
      await page.getByRole('heading', { name: list, level: 1 }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

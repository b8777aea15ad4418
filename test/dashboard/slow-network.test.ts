import type { Page, Route } from 'playwright-core';
import { hold } from '../support/hold.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { complete } from './page-checks.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const MESSAGE = { subject: 'Welcome', htmlContent: '<p>Welcome</p>' };

let started: DashboardOfUser;

journeys('on a slow network', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const openPage = () => signedInPage(started.browser, started.service, started.email);

  const makeTemplate = async (name: string): Promise<string> =>
    (await started.organization.post<{ id: string }>('/api/templates', { ...MESSAGE, name })).body.id;

  /** Holds the requests with a method back. @returns lets them go */
  async function holdRequests(page: Page, method: string, path: string): Promise<() => Promise<void>> {
    const { held, release } = hold();
    await page.route(`**${path}`, async (route: Route) => {
      if (route.request().method() === method) await held;
      await route.continue();
    });
    return async () => {
      const responded = page.waitForResponse((response) => response.request().method() === method);
      release();
      await responded;
    };
  }

  it(
    'a deletion that ends after the user has left does not discard what they type elsewhere',
    async () => {
      const [old, kept] = [await makeTemplate('Old'), await makeTemplate('Kept')];
      const page = await openPage();
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.message());
        void dialog.dismiss();
      });
      await page.goto(`${started.service.address}/templates/${old}`);
      const finish = await holdRequests(page, 'DELETE', `/api/templates/${old}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation').getByRole('link', { name: 'Templates' }).click();
      await page.getByRole('link', { name: 'Kept' }).click();
      await page.getByRole('heading', { name: 'Kept', level: 1 }).waitFor(SOON);
      await page.getByLabel('Subject').fill('Typed meanwhile');
      await finish();
      await page
        .getByRole('status')
        .getByText('Delete: done')
        .waitFor({ ...SOON, state: 'attached' });
      expect(new URL(page.url()).pathname).toBe(`/templates/${kept}`);
      expect(await page.getByLabel('Subject').inputValue()).toBe('Typed meanwhile');
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      expect(asked).toHaveLength(1);
      expect(await page.getByLabel('Subject').inputValue()).toBe('Typed meanwhile');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a new item does not take the user away from the page to which they went meanwhile',
    async () => {
      const page = await openPage();
      await page.getByRole('navigation').getByRole('link', { name: 'Campaigns' }).click();
      const finish = await holdRequests(page, 'POST', '/api/campaigns');
      await page.getByRole('button', { name: 'New campaign' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Spring');
      await page.getByRole('dialog').getByRole('button', { name: 'Create campaign' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
      await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor(SOON);
      await finish();
      // The page is read again after each change.
      await page.waitForResponse(/\/api\/audit\?/, SOON);
      expect(new URL(page.url()).pathname).toBe('/audit');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it.each([
    ['campaign', 'Campaigns'],
    ['template', 'Templates'],
  ])(
    'a new %s does not take the place of the next one, which is being typed',
    async (item, list) => {
      const page = await openPage();
      const dialog = page.getByRole('dialog');
      await goTo(page, list);
      const finish = await holdRequests(page, 'POST', `/api/${item}s`);
      await page.getByRole('button', { name: `New ${item}` }).click();
      await dialog.getByLabel('Name').waitFor(SOON);
      for (const field of await dialog.getByRole('textbox').all()) await field.fill('First');
      await dialog.getByRole('button', { name: `Create ${item}` }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: `New ${item}` }).click();
      await dialog.getByLabel('Name').fill('Second');
      await finish();
      await page.locator('main tbody a').getByText('First', { exact: true }).waitFor(SOON);
      expect(await dialog.getByLabel('Name').inputValue(SOON)).toBe('Second');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a page that is not complete yet says that it takes longer than usual',
    async () => {
      await makeTemplate('Late');
      const page = await openPage();
      const finish = await holdRequests(page, 'GET', '/api/templates?limit=50');
      await page.getByRole('navigation').getByRole('link', { name: 'Templates' }).click();
      await page.getByRole('status').getByText('This takes longer than usual').waitFor(SOON);
      await finish();
      await page.getByRole('link', { name: 'Late', exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'problems that could not be read stay named while they are read again',
    async () => {
      const page = await openPage();
      await started.organization.post('/api/send', { ...MESSAGE, from: 'a@acme.example', to: 'c@acme.example' });
      const isFailing = /\/api\/webhooks\?/;
      const refuse = { status: 403, contentType: 'application/json', body: '{"error":"Broken"}' };
      let isSilent = false;
      await page.route(isFailing, (route) => (isSilent ? undefined : route.fulfill(refuse)));
      await page.reload();
      const unread = page.getByText('Webhooks: whether there are problems could not be read');
      await unread.waitFor(SOON);
      isSilent = true;
      const again = page.waitForRequest(isFailing);
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
      await again;
      await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      expect(await unread.count()).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a part of the overview that cannot be read says so, and can be read again',
    async () => {
      const page = await openPage();
      await started.organization.post('/api/send', { ...MESSAGE, from: 'a@acme.example', to: 'b@acme.example' });
      await started.organization.post('/api/campaigns', { name: 'Autumn' });
      const isFailing = /\/api\/(campaigns|webhooks)\?/;
      const refuse = { status: 500, contentType: 'application/json', body: '{"error":"Broken"}' };
      await page.route(isFailing, (route) => route.fulfill(refuse));
      await page.reload();
      const attention = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Needs attention' }) });
      await attention.getByText('Webhooks: whether there are problems could not be read').waitFor(SOON);
      const latest = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Latest campaigns' }) });
      await latest.getByRole('alert').getByText('Broken').waitFor(SOON);
      await latest.getByRole('button', { name: 'Try again' }).waitFor(SOON);
      await page.unroute(isFailing);
      // Unless a live change has it read before.
      await complete(page, 'h2');
      await latest.getByRole('link', { name: 'Autumn' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

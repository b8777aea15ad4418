import type { Page } from 'playwright-core';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('a reader who does not see the page is told', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    await started.organization.post('/api/suppressions', { addresses: ['ada@example.com', 'grace@example.com'] });
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Records each text, and whether a dialog hides it at that moment. */
  const record = (page: Page) =>
    page.evaluate(`window.announced = [];
      const place = document.getElementById('announcements');
      const note = () => window.announced.push([place.textContent, document.querySelector('dialog:modal') !== null]);
      new MutationObserver(note).observe(place, { childList: true, subtree: true, characterData: true });`);

  const announced = (page: Page, text: string) =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor(SOON);

  it(
    'how much a filter has found, and that a change was made',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Suppressions');
      await record(page);
      await page.getByRole('row', { name: /ada@example/ }).waitFor();
      const search = page.getByLabel('Address', { exact: true });
      await search.fill('grace');
      await announced(page, 'Suppressions: 1 found');
      await search.fill('nobody');
      await announced(page, 'Suppressions: 0 found');
      await search.fill('');
      await announced(page, 'Suppressions: 2 found');
      await page.getByRole('button', { name: 'Remove ada@example.com' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await announced(page, 'Remove ada@example.com: done');
      await page.getByRole('button', { name: 'Add addresses' }).click();
      await page.getByLabel('Addresses, one per line').fill('linus@example.com');
      await page.getByRole('button', { name: 'Suppress', exact: true }).click();
      await announced(page, 'Suppress: done');
      const hidden = ((await page.evaluate('window.announced')) as [string, boolean][]).filter(
        ([, isHidden]) => isHidden,
      );
      expect(hidden).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'what a filter has found once older pages are read, if the first pages match nothing',
    async () => {
      const page = await signedInPage(started.browser, started.service, started.email);
      await goTo(page, 'Suppressions');
      await page.getByRole('row', { name: /grace@example/ }).waitFor();
      await record(page);
      // Where few of many items match, the service looks through some at a time.
      await page.route(/\/api\/suppressions\?.*search=grace/, (route) =>
        route.request().url().includes('cursor=')
          ? route.continue({
              url: route
                .request()
                .url()
                .replace(/&cursor=[^&]*/, ''),
            })
          : route.fulfill({
              json: { suppressions: [] },
              headers: { link: '</api/suppressions?cursor=older>; rel="next"' },
            }),
      );
      await page.getByLabel('Address', { exact: true }).fill('grace');
      await announced(page, 'Suppressions: 1 found');
      expect(await page.evaluate('window.announced')).toEqual([['Suppressions: 1 found', false]]);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'nothing about a list that has no filter',
    async () => {
      const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
      const { id } = (await started.organization.post<{ id: string }>('/api/templates', template)).body;
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.goto(`${started.service.address}/templates/${id}`);
      await page.getByRole('button', { name: 'Edit version 1' }).waitFor();
      await record(page);
      await page.getByLabel('Subject').fill('Good day');
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 2').waitFor();
      await page.getByRole('button', { name: 'Edit version 2' }).waitFor();
      await page.getByRole('button', { name: 'Edit version 1' }).click();
      await announced(page, 'Edit version 1: done');
      expect(await page.evaluate('window.announced')).toEqual([['Edit version 1: done', false]]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

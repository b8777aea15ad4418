import type { Page } from 'playwright-core';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { problemsOf } from './page-checks.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const content = { subject: 'S', htmlContent: '<p>x</p>' };
const LISTS = [
  ['Campaigns', 'campaigns', {}, 'No campaign matches'],
  ['Broadcasts', 'broadcasts', { ...content, from: 'ada@acme.example' }, 'No broadcast matches'],
  ['Templates', 'templates', content, 'No template matches'],
] as const;

let started: DashboardOfUser;
let page: Page;

journeys('a list that is searched by name', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    for (const name of ['Spring sale', 'Summer party'])
      for (const [, path, fields] of LISTS) await started.organization.post(`/api/${path}`, { ...fields, name });
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** Waits until the list has these names, newest first. */
  async function shows(label: string, ...names: string[]): Promise<void> {
    const cells = page.getByRole('table', { name: label }).locator('td[data-name=Name]');
    for (const [place, name] of names.entries()) await cells.nth(place).getByText(name).waitFor();
    await cells.nth(names.length).waitFor({ state: 'detached' });
  }

  const announced = (text: string): Promise<void> =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor();

  it.each(LISTS)(
    '%s',
    async (label, _path, _fields, nothing) => {
      await goTo(page, label);
      await shows(label, 'Summer party', 'Spring sale');
      const field = page.getByRole('searchbox', { name: 'Name' });
      await field.fill('SALE');
      await shows(label, 'Spring sale');
      await announced(`${label}: 1 found`);
      await page.reload();
      await shows(label, 'Spring sale');
      expect([new URL(page.url()).search, await field.inputValue()]).toEqual(['?search=SALE', 'SALE']);

      await field.fill('%');
      await page.getByRole('heading', { name: nothing }).waitFor();
      await announced(`${label}: 0 found`);
      expect(await problemsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await shows(label, 'Summer party', 'Spring sale');
      expect([new URL(page.url()).search, await field.inputValue()]).toEqual(['', '']);
    },
    JOURNEY_MS,
  );

  it(
    'finds archived campaigns on request',
    async () => {
      const { body } = await started.organization.post<{ id: string }>('/api/campaigns', { name: 'Autumn sale' });
      await goTo(page, 'Campaigns');
      await page.getByRole('link', { name: 'Autumn sale' }).click();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByText('archived', { exact: true }).waitFor();
      await goTo(page, 'Campaigns');
      await shows('Campaigns', 'Summer party', 'Spring sale');
      await page.getByLabel('Status').selectOption('archived', { timeout: STEP_MS / 3 });
      await shows('Campaigns', 'Autumn sale');
      await page.getByRole('searchbox', { name: 'Name' }).fill('summer');
      await page.getByRole('heading', { name: 'No campaign matches' }).waitFor();
      await page.getByRole('searchbox', { name: 'Name' }).fill('autumn');
      await page.getByRole('link', { name: 'Autumn sale' }).click();
      await page.waitForURL(`**/campaigns/${body.id}`);
    },
    JOURNEY_MS,
  );

  it(
    'has what happened while another choice was shown, at once',
    async () => {
      await goTo(page, 'Campaigns');
      await shows('Campaigns', 'Summer party', 'Spring sale');
      await page.getByLabel('Status').selectOption('archived', { timeout: STEP_MS / 3 });
      await page.getByRole('link', { name: 'Summer party' }).waitFor({ state: 'detached' });
      await started.organization.post('/api/campaigns', { name: 'Winter sale' });
      await page.getByLabel('Status').selectOption('');
      await page.getByRole('link', { name: 'Winter sale' }).waitFor({ timeout: STEP_MS / 3 });
      await shows('Campaigns', 'Winter sale', 'Summer party', 'Spring sale');
    },
    JOURNEY_MS,
  );

  it.each([
    ['Contacts', 'Address', 'nobody', 'No address matches'],
    ['Suppressions', 'Address', 'nobody', 'No address matches these filters'],
    ['Audit', 'Item', 'webhook', 'No entry matches these filters'],
  ])(
    '%s that finds nothing offers to clear the filters',
    async (label, field, text, nothing) => {
      await goTo(page, label);
      await page.getByRole('searchbox', { name: field }).fill(text);
      await page.getByRole('heading', { name: nothing }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('heading', { name: nothing }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    },
    JOURNEY_MS,
  );

  it.each([
    ['Suppressions', '/suppressions?reason=none'],
    ['Audit', '/audit?since=yesterday'],
  ])(
    '%s whose filters are refused offers to clear them',
    async (label, path) => {
      await page.goto(started.service.address + path);
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click({ timeout: STEP_MS / 3 });
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect([await page.getByRole('heading', { level: 1 }).innerText(), new URL(page.url()).search]).toEqual([
        label,
        '',
      ]);
    },
    JOURNEY_MS,
  );
});

import type { Browser, Page } from 'playwright-core';
import { hold } from '../support/hold.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { pressUntil } from './keyboard.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

let service: TestService;
let browser: Browser;
let shop: TestClient;

journeys('the search for emails', () => {
  const ids: Record<string, string> = {};
  let reader: string;

  beforeAll(async () => {
    service = await TestService.start();
    browser = await openChromium(chromium!);
    shop = await service.organization('pro', 'Shop');
    ({ email: reader } = await newUser(service, shop.organizationId, 'viewer'));
    for (const [to, subject] of [
      ['grace@example.com', 'Your order'],
      ['grace@example.com', 'Your invoice'],
      ['ada@example.org', 'Welcome'],
    ] as const) {
      const fields = { from: 'ada@acme.example', to, subject, htmlContent: '<p>Hi</p>', campaignId: 'Shop' };
      ids[subject] = (await shop.post<{ emailTrackingId: string }>('/api/send', fields)).body.emailTrackingId;
    }
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Waits until the list has these subjects, newest first. */
  async function shows(page: Page, ...subjects: string[]): Promise<void> {
    const links = page.getByRole('table', { name: 'Emails' }).locator('td[data-name=Subject]');
    for (const [place, subject] of subjects.entries()) await links.nth(place).getByText(subject).waitFor();
    await links.nth(subjects.length).waitFor({ state: 'detached' });
  }

  it(
    'finds emails by address, subject and ID, with filters, and keeps the search in the URL of the page',
    async () => {
      const page = await signedInPage(browser, service, reader);
      await goTo(page, 'Emails');
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      const field = page.getByRole('searchbox', { name: 'Address, subject or ID' });
      await pressUntil(page, '/', field);
      await page.keyboard.type('GRACE@');
      await shows(page, 'Your invoice', 'Your order');
      await page.waitForURL(/[?&]search=GRACE%40/);
      await page.reload();
      await shows(page, 'Your invoice', 'Your order');
      expect(await field.inputValue()).toBe('GRACE@');

      await field.fill('invoice');
      await shows(page, 'Your invoice');
      await page.getByLabel('Status').selectOption('failed');
      await page.getByRole('heading', { name: 'No email matches these filters' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      await page.waitForURL((url) => url.search === '');
      expect(await page.getByLabel('Status').inputValue()).toBe('');

      await field.fill(ids['Your order']!);
      await shows(page, 'Your order');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'takes days as those of the reader, like the times in the list',
    async () => {
      const page = await signedInPage(browser, service, reader);
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Pacific/Auckland' });
      await goTo(page, 'Emails');
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      const asked = page.waitForRequest(/\/api\/emails\?.*since=/);
      await page.getByLabel('From', { exact: true }).fill('2026-03-01');
      expect(new URL((await asked).url()).searchParams.get('since')).toBe('2026-02-28T11:00:00.000Z');
      await page.waitForURL((url) => url.searchParams.get('since') === '2026-03-01');
      await page.getByLabel('Status').selectOption('sending');
      await page.getByRole('heading', { name: 'No email matches these filters' }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps the previous list until the new one has arrived, and its links work meanwhile',
    async () => {
      const page = await signedInPage(browser, service, reader);
      await goTo(page, 'Emails');
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      const { held, release } = hold();
      await page.route(/\/api\/emails\?.*search=/, async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('searchbox', { name: 'Address, subject or ID' }).fill('invoice');
      await page.locator('table[aria-busy=true]').waitFor();
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      await page.getByRole('link', { name: 'Welcome' }).click();
      await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
      await page.goBack();
      release();
      await shows(page, 'Your invoice');

      const field = page.getByRole('searchbox', { name: 'Address, subject or ID' });
      await field.fill('nothing like it');
      const nothing = page.getByRole('heading', { name: 'No email matches these filters' });
      await nothing.waitFor();
      // Until there is a response, it is unknown whether the list is empty.
      await page.route(/\/api\/emails\?.*search=order/, () => undefined);
      await field.fill('order');
      await nothing.waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'shows the filters that a link has set, and removes them',
    async () => {
      const page = await signedInPage(browser, service, reader);
      await page.goto(`${service.address}/emails?recipient=ada%40example.org&campaignId=Shop`);
      await shows(page, 'Welcome');
      await page.getByText('To ada@example.org').waitFor();
      await page.getByText('Campaign Shop').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'shows why it failed, and retries',
    async () => {
      const page = await signedInPage(browser, service, reader);
      await page.goto(`${service.address}/emails?status=nonsense`);
      const failure = page.getByRole('alert');
      await failure.getByText('Status must be one of').waitFor();
      await failure.getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'finds subjects and tags that are days',
    async () => {
      const fields = { from: 'ada@acme.example', to: 'ada@example.org', htmlContent: '<p>Hi</p>' };
      await shop.post('/api/send', { ...fields, subject: 'Report', tags: ['2026-03-02'] });
      await shop.post('/api/send', { ...fields, subject: 'Report of 2026-03-02' });
      const page = await signedInPage(browser, service, reader);
      await page.goto(`${service.address}/emails?search=2026-03-02`);
      await shows(page, 'Report of 2026-03-02');
      await page.goto(`${service.address}/emails?tag=2026-03-02`);
      await shows(page, 'Report');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

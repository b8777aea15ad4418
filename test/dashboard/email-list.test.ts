import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { pressUntil } from './keyboard.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

/** More than two pages of a list. */
const MANY = 120;

/** Acts like a busy browser, which reports several changes of the visible rows together, the latest last. */
const LATE_OBSERVERS = `
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class extends Observer {
    constructor(callback, options) {
      const earlier = (entry) => ({ isIntersecting: !entry.isIntersecting, boundingClientRect: entry.boundingClientRect });
      super((entries, observer) => callback([earlier(entries.at(-1)), ...entries], observer), options);
    }
  };`;

let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

const message = (subject: string) => ({
  ...{ from: 'ada@acme.example', to: 'reader@example.com', subject },
  htmlContent: '<p>Hi</p>',
});

beforeAll(async () => {
  if (chromium === undefined) return;
  service = await TestService.start();
  browser = await openChromium(chromium);
}, JOURNEY_MS);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

journeys('lists that change by themselves', () => {
  beforeAll(async () => {
    organization = await service.organization('pro', 'Acme');
    ({ email } = await newUser(service, organization.organizationId, 'viewer'));
    const emails = Array.from({ length: MANY }, (_, number) => message(`Number ${number + 1}`));
    await organization.post('/api/send', message('Oldest'));
    expect((await organization.post('/api/send/batch', { emails })).status).toBeLessThan(300);
    await organization.post('/api/send', message('Newest'));
  }, JOURNEY_MS);

  const linkTo = (page: Page, subject: string) => page.getByRole('link', { name: subject, exact: true });

  /** Presses the key until there is a link of that name. */
  function scrollTo(page: Page, key: 'End' | 'Home', subject: string): Promise<boolean> {
    return eventually(async () => {
      await page.keyboard.press(key);
      return (await linkTo(page, subject).count()) === 1;
    }, STEP_MS);
  }

  it(
    'a list loads to its end, and a new email appears once at its beginning',
    async () => {
      const page = await signedInPage(browser, service, email);
      await page.addInitScript({ content: LATE_OBSERVERS });
      await page.reload();
      await goTo(page, 'Emails');
      await page.getByText('Live', { exact: true }).waitFor();
      await linkTo(page, 'Newest').waitFor();
      await scrollTo(page, 'End', 'Oldest');
      await organization.post('/api/send', message('Brand new'));
      await scrollTo(page, 'Home', 'Brand new');
      const row = page.getByRole('row').filter({ has: linkTo(page, 'Brand new') });
      await row.getByText('sent', { exact: true }).waitFor();
      await linkTo(page, 'Newest').waitFor();
      expect(await linkTo(page, 'Newest').count()).toBe(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a further page that fails is asked for once, and again by a button',
    async () => {
      const page = await signedInPage(browser, service, email);
      let asked = 0;
      const further = /\/api\/emails\?.*cursor=/;
      await page.route(further, (route) => {
        asked++;
        return route.fulfill({ status: 403, json: { error: 'The test refuses this' } });
      });
      await goTo(page, 'Emails');
      await linkTo(page, 'Newest').waitFor();
      await eventually(async () => {
        await page.keyboard.press('End');
        return (await page.getByText('The test refuses this').count()) === 1;
      }, STEP_MS);
      const again = page.getByRole('button', { name: 'Load more' });
      await again.scrollIntoViewIfNeeded();
      const askedBefore = asked;
      // The first page is read again meanwhile, which renders the list.
      await organization.post('/api/send', message('Meanwhile'));
      await page.waitForResponse(/\/api\/emails\?(?!.*cursor=)/);
      expect({ askedBefore, asked }).toEqual({ askedBefore: 1, asked: 1 });
      await page.unroute(further);
      await again.click();
      await scrollTo(page, 'End', 'Oldest');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'pages poll if they cannot follow live events',
    async () => {
      const page = await signedInPage(browser, service, email);
      await page.route('**/api/live', (route) => route.abort());
      await page.reload();
      await goTo(page, 'Emails');
      await page.getByText('Updates every 3 seconds').waitFor();
      await organization.post('/api/send', message('Asked for'));
      await linkTo(page, 'Asked for').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

journeys('the search for emails', () => {
  const ids: Record<string, string> = {};
  let reader: string;

  beforeAll(async () => {
    const shop = await service.organization('pro', 'Shop');
    ({ email: reader } = await newUser(service, shop.organizationId, 'viewer'));
    for (const [to, subject] of [
      ['grace@example.com', 'Your order'],
      ['grace@example.com', 'Your invoice'],
      ['ada@example.org', 'Welcome'],
    ] as const) {
      const fields = { ...message(subject), to, campaignId: 'Shop' };
      ids[subject] = (await shop.post<{ emailTrackingId: string }>('/api/send', fields)).body.emailTrackingId;
    }
  }, JOURNEY_MS);

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
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
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
      await failure.getByText('status must be one of').waitFor();
      await failure.getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await shows(page, 'Welcome', 'Your invoice', 'Your order');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

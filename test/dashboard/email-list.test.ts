import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

/** More than two pages of a list. */
const MANY = 120;

const MORE_THAN_A_PAGE = 60;

/** Of the window. */
const HEIGHT = 900;

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

  async function isInView(page: Page, subject: string): Promise<boolean> {
    const { y = -1 } = (await linkTo(page, subject).boundingBox()) ?? {};
    return y > 0 && y < HEIGHT;
  }

  /** Waits until the last change of the emails is read. */
  function allSent(): Promise<boolean> {
    return eventually(async () => {
      const { body } = await organization.get<{ emails: { status: string }[] }>('/api/emails?limit=100');
      return body.emails.every(({ status }) => status === 'sent');
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
    'a list is where it was left when the reader comes back from an email',
    async () => {
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Emails');
      await linkTo(page, 'Newest').waitFor();
      await scrollTo(page, 'End', 'Oldest');
      await linkTo(page, 'Oldest').click();
      await page.getByRole('heading', { name: 'Oldest', level: 1 }).waitFor();
      expect(await page.evaluate('scrollY')).toBe(0);
      await page.goBack();
      const place = async () => (await linkTo(page, 'Oldest').boundingBox())?.y ?? -1;
      await eventually(async () => (await place()) > 0 && (await place()) < HEIGHT, STEP_MS / 3);
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
      // What the page shows is up to date all the same.
      expect(await page.getByText('no longer up to date').count()).toBe(0);
      const askedBefore = asked;
      // The first page is read again meanwhile, which renders the list.
      const read = page.waitForResponse(/\/api\/emails\?(?!.*cursor=)/);
      await organization.post('/api/send', message('Meanwhile'));
      await read;
      await linkTo(page, 'Meanwhile').waitFor({ state: 'attached' });
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

  it(
    'a reader of older rows keeps their place while more arrive than a page has, and sees these at the beginning',
    async () => {
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Emails');
      await page.getByText('Live', { exact: true }).waitFor();
      await linkTo(page, 'Newest').waitFor();
      await scrollTo(page, 'End', 'Oldest');
      // The last page is loaded below what was the end.
      await eventually(async () => {
        await page.keyboard.press('End');
        return isInView(page, 'Oldest');
      }, STEP_MS);
      const read = page.waitForResponse(/\/api\/emails\?(?!.*cursor=)/);
      const emails = Array.from({ length: MORE_THAN_A_PAGE }, (_, number) => message(`Burst ${number + 1}`));
      expect((await organization.post('/api/send/batch', { emails })).status).toBeLessThan(300);
      await organization.post('/api/send', message('After the burst'));
      await (await read).finished();
      await allSent();
      expect(await isInView(page, 'Oldest')).toBe(true);
      await scrollTo(page, 'Home', 'After the burst');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

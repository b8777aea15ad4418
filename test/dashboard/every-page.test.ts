import type { Browser, Page } from 'playwright-core';
import { newUser } from '../support/people.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { complete, problemsOf, watchConsole } from './page-checks.js';
import { PAGES } from './seeded-pages.js';
import { startSeededService, type SeededService } from './seeded-service.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

/** HTML that a page must show without a message in the console, although its policy forbids most of it. */
const RICH_HTML = `<!doctype html><html><head><style>p { color: #333 } @import url(https://elsewhere.example/a.css);</style>
  <link rel="stylesheet" href="https://elsewhere.example/b.css"><script>window.hacked = 1</script></head>
  <body style="margin:0;background:url(https://elsewhere.example/c.png)" onload="window.hacked = 2">
  <p title="not a style=red" style='color:#222'>Hello <img src="https://elsewhere.example/d.png" alt="" width="8" height="8"></p>
  <table background="https://elsewhere.example/e.png"><tr><td style=padding:4px><a href="https://acme.example/">there</a></td></tr></table>
  <iframe src="https://elsewhere.example/"></iframe></body></html>`;

let seeded: SeededService;
let browser: Browser;

beforeAll(async () => {
  if (chromium === undefined) return;
  seeded = await startSeededService();
  browser = await openChromium(chromium);
}, JOURNEY_MS);
afterAll(async () => {
  await browser?.close();
  await seeded?.stop();
});

journeys('with much to show, every page is silent in the console, fits a phone and passes axe', () => {
  let page: Page;
  let seen: string[];

  beforeAll(async () => {
    // A broadcast that has started, and does not change while it is read.
    for (const move of ['send', 'pause'])
      await seeded.organization.post(`/api/broadcasts/${seeded.ids.broadcast}/${move}`);
    page = await signedInPage(browser, seeded.service, seeded.owner);
    seen = watchConsole(page);
  }, JOURNEY_MS);
  afterAll(() => page?.context().close());

  it.each(PAGES)(
    '%s',
    async (_, pathOf, shown) => {
      seen.length = 0;
      await page.goto(seeded.service.address + pathOf(seeded.ids));
      await complete(page, shown);
      expect(await problemsOf(page)).toEqual([]);
      expect(seen).toEqual([]);
    },
    JOURNEY_MS,
  );
});

journeys('a page', () => {
  it(
    'with nothing to show is silent in the console, fits a phone and passes axe',
    async () => {
      const empty = await seeded.service.organization('pro', 'Empty');
      const { email } = await newUser(seeded.service, empty.organizationId, 'owner');
      const page = await signedInPage(browser, seeded.service, email);
      const seen = watchConsole(page);
      const names = await page.getByRole('navigation').getByRole('link').allInnerTexts();
      expect(names.length).toBeGreaterThan(10);
      for (const name of names) {
        await goTo(page, name);
        await complete(page, 'h1');
        expect({ name, problems: await problemsOf(page), seen }).toEqual({ name, problems: [], seen: [] });
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'shows an email with styles, images and scripts without a notice in the console',
    async () => {
      const { service, organization, owner } = seeded;
      const { body } = await organization.post<{ emailTrackingId: string }>('/api/send', {
        ...{ from: 'ada@acme.example', to: 'rich@example.com', subject: 'Rich', htmlContent: RICH_HTML },
        campaignId: 'Rich',
      });
      const page = await signedInPage(browser, service, owner);
      const seen = watchConsole(page);
      const requests: string[] = [];
      page.on('request', (request) => void requests.push(request.url()));
      await page.goto(`${service.address}/emails/${body.emailTrackingId}`);
      for (const tab of ['Preview', 'Links']) {
        await page.getByRole('tab', { name: tab }).click();
        const shown = page.frameLocator('iframe');
        await shown.getByText('Hello').waitFor();
        expect(await shown.locator('td').evaluate(paddingOf)).toBe('4px');
        expect(await shown.locator('p').getAttribute('title')).toBe('not a style=red');
      }
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByText('"subject": "Rich"').waitFor();
      expect(seen).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(service.address) && !url.startsWith('about:'))).toEqual([]);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await problemsOf(page)).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

/** Runs in the page. */
const paddingOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { paddingTop: string } }).getComputedStyle(element)
    .paddingTop;

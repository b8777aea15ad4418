import type { Page } from 'playwright-core';
import { hold } from '../support/hold.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { complete } from './page-checks.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const MESSAGE = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hi' };
const HTML = '<p><a href="https://acme.example/sale">Sale</a></p>';
/** They have a height of their own, and more follows below. */
const PARTS = ['**/api/stats?*', '**/click-map'];

let started: DashboardOfUser;
let page: Page;

journeys('a campaign', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    page = await signedInPage(started.browser, started.service, started.email);
    page.setDefaultTimeout(STEP_MS / 9);
    // Notes what moves in view; what comes into view was not seen before.
    await page.addInitScript(`
      globalThis.moved = [];
      new PerformanceObserver((list) => {
        const sources = list.getEntries().flatMap(({ sources }) => sources);
        const seen = sources.filter(({ previousRect }) => previousRect.height > 0);
        globalThis.moved.push(...seen.map(({ node }) => node?.textContent));
      }).observe({ type: 'layout-shift', buffered: true });`);
  }, JOURNEY_MS);
  afterAll(async () => {
    await page?.context().close();
    await started?.stop();
  });

  const frames = (): Promise<unknown> =>
    page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);

  /** The page of a campaign. */
  async function campaignOf(emails: readonly object[]): Promise<string> {
    const { body } = await started.organization.post<{ id: string }>('/api/campaigns', {
      name: `Sale ${Math.random()}`,
    });
    for (const email of emails)
      await started.organization.post('/api/emails', { ...MESSAGE, ...email, campaignId: body.id });
    return `/campaigns/${body.id}`;
  }

  describe.each([
    ['phone', 390, 844],
    ['tall screen', 1440, 3000],
  ])('on a %s', (_screen, width, height) => {
    it.each([
      ['no emails', []],
      ['an email without links', [{ htmlContent: '<p>Hi</p>' }]],
      ['emails', [{ htmlContent: HTML }, { htmlContent: HTML }]],
    ])(
      'with %s moves nothing that is seen, in whichever order its parts arrive',
      async (_emails, emails) => {
        const path = await campaignOf(emails);
        await page.setViewportSize({ width, height });
        for (const order of [PARTS, PARTS.toReversed()]) {
          const gates = order.map((pattern) => ({ pattern, ...hold() }));
          for (const { pattern, held } of gates)
            await page.route(pattern, async (route) => {
              await held;
              await route.continue();
            });
          await page.goto(started.service.address + path);
          await page.getByRole('heading', { name: 'Recipients' }).waitFor({ state: 'attached', timeout: STEP_MS / 3 });
          await frames();
          for (const { pattern, release } of gates) {
            const arrived = page.waitForResponse(pattern);
            release();
            await arrived;
            await frames();
          }
          await complete(page, '.plot canvas');
          await frames();
          expect(await page.evaluate(`globalThis.moved`)).toEqual([]);
          await page.unrouteAll({ behavior: 'ignoreErrors' });
        }
      },
      JOURNEY_MS,
    );
  });
});

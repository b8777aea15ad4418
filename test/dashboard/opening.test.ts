import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { hasFocus } from './keyboard.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SESSION = '**/api/session';
const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;
let page: Page;

journeys('until the session is known, the page', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  beforeEach(async () => {
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterEach(() => page?.context().close());
  afterAll(() => started?.stop());

  it(
    'says that it is loading, then that the service does not respond, with a button that tries again',
    async () => {
      // The first request ends neither by a response nor by the time limit of the client library.
      await page.addInitScript(`const wait = setTimeout;
        window.setTimeout = (run, ms, ...rest) => (ms === 30000 ? 0 : wait(run, ms, ...rest));`);
      let requests = 0;
      await page.route(SESSION, (route) => (++requests > 1 ? route.continue() : undefined));
      await page.goto(`${started.service.address}/emails`);
      await page.getByRole('status').getByText('Loading').waitFor(SOON);
      await page.getByRole('status').getByText('The service has not responded yet.').waitFor(SOON);
      expect(requests).toBe(1);
      await page.getByRole('button', { name: 'Try again' }).click();
      await eventually(() => requests > 1, STEP_MS / 3);
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor(SOON);
    },
    JOURNEY_MS,
  );

  it(
    'keeps showing why it failed, with the focus where it is, while it tries again by itself',
    async () => {
      let attempts = 0;
      await page.route(SESSION, async (route) => {
        attempts += 1;
        await route.fulfill({ status: 503, json: { error: 'It is broken' } });
      });
      await page.goto(`${started.service.address}/emails`);
      const alert = page.getByRole('alert').filter({ hasText: 'It is broken' });
      await alert.waitFor(SOON);
      const retry = alert.getByRole('button', { name: 'Try again' });
      await retry.focus();
      // Each change of the page, as a screen reader gets them.
      await page.evaluate(`window.changes = 0;
        new MutationObserver(() => (window.changes += 1)).observe(document.querySelector('[role=alert]').parentElement,
          { childList: true, subtree: true, characterData: true });`);
      const before = attempts;
      while (attempts < before + 6) await page.waitForResponse(SESSION);
      expect(await hasFocus(retry)).toBe(true);
      expect(await page.evaluate('window.changes')).toBe(0);
    },
    JOURNEY_MS,
  );
});

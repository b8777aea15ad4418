import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { goTo, JOURNEY_MS, openDashboard, signedInPage, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const UNAVAILABLE = { status: 503, headers: { 'retry-after': '0' }, json: { error: 'Starting' } };

/** In a hidden tab, a browser paints nothing and runs timers once a second. */
const HIDE = `
  const { setTimeout: later } = globalThis;
  globalThis.setTimeout = (run, ms = 0) => later(run, Math.max(ms, 1000));
  globalThis.requestAnimationFrame = () => 0`;

let started: DashboardOfUser;

journeys('a session that has ended', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const openPage = () => signedInPage(started.browser, started.service, started.email);

  /** The page is shown again after another tab. */
  const comeBack = (page: Page) =>
    page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);

  async function signedOutElsewhere(): Promise<Page> {
    const page = await openPage();
    await page.context().clearCookies();
    await comeBack(page);
    return page;
  }

  it(
    'leaves nothing in the memory of a tab in which the user signs out everywhere',
    async () => {
      const page = await openPage();
      await goTo(page, 'Settings');
      await page.evaluate('globalThis.isSamePage = true');
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await eventually(() => page.evaluate('globalThis.isSamePage !== true').catch(() => false), STEP_MS / 3);
      await page.getByLabel('Password').waitFor(SOON);
      expect(new URL(page.url()).pathname).toBe('/');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it.each([
    ['before the page was opened', () => openDashboard(started.browser, started.service)],
    ['in another tab', signedOutElsewhere],
  ])(
    '%s keeps the sign-in, with what was typed into it, while the service is away',
    async (_, open) => {
      const page = await open();
      await page.getByLabel('Email address').fill('ada@acme.example', SOON);
      let refused = 0;
      await page.route('**/api/session', (route) => {
        refused++;
        return route.fulfill(UNAVAILABLE);
      });
      await comeBack(page);
      await eventually(() => refused > 3, STEP_MS / 3);
      await page.unroute('**/api/session');
      let reads = 0;
      page.on('response', (response) => {
        if (response.url().endsWith('/api/session') && response.status() === 401) reads++;
      });
      await eventually(async () => {
        await comeBack(page);
        // The page asks again once it has handled the first response.
        return reads > 1;
      }, STEP_MS / 3);
      expect(await page.getByLabel('Email address').inputValue(SOON)).toBe('ada@acme.example');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is not assumed while the service is away, and the page says so only until the service is back',
    async () => {
      const page = await openPage();
      await goTo(page, 'Templates');
      await page.route('**/api/session', (route) => route.fulfill(UNAVAILABLE));
      await comeBack(page);
      const outdated = page.getByText('This page is no longer up to date: Starting');
      await outdated.waitFor(SOON);
      await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor(SOON);
      await page.unroute('**/api/session');
      await outdated.waitFor({ state: 'detached', ...SOON });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps a draft that could not be saved, also in a hidden tab',
    async () => {
      const { page, path } = await openDraft(started);
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await page.evaluate(HIDE);
        await page.context().clearCookies();
        return route.fulfill({ status: 401, json: { error: 'Sign in again' } });
      });
      await page.getByLabel('Subject').fill('Typed last');
      await page.getByRole('alert').getByText('Your session has ended').waitFor(SOON);
      expect(await page.getByLabel('Subject').inputValue(SOON)).toBe('Typed last');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'keeps a draft that could not be saved, and saves it once the user has signed in in another tab',
    async () => {
      const { page, path } = await openDraft(started);
      const cookies = await page.context().cookies();
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        await page.context().clearCookies();
        return route.fulfill({ status: 401, json: { error: 'Sign in again' } });
      });
      await page.getByLabel('Subject').fill('Typed last');
      await page.getByRole('alert').getByText('Your session has ended').waitFor(SOON);
      await page.unroute(`**${path}`);
      await page.context().addCookies(cookies);
      await comeBack(page);
      await page.getByRole('status').getByText('Saved', { exact: true }).waitFor(SOON);
      expect((await started.organization.get<{ subject: string }>(path)).body.subject).toBe('Typed last');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

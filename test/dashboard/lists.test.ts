import type { Locator, Page } from 'playwright-core';
import { draft } from '../support/broadcast-client.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
/** “Summer sale!” in Hebrew. */
const HEBREW = 'מבצע קיץ!';
const MESSAGE = { subject: HEBREW, htmlContent: '<p>x</p>' };

let started: DashboardOfUser;
let page: Page;

journeys('lists', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const make = async (path: string, body: object) => (await started.organization.post<{ id: string }>(path, body)).body;
  const open = (path: string) => page.goto(started.service.address + path);

  it(
    'give each button of a row a name of its own',
    async () => {
      const { id } = await make('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_SENT'] });
      for (const age of ['1 hour', '2 hours']) {
        await started.organization.post(`/api/webhooks/${id}/test`);
        await started.service.database.query(
          `update webhook_deliveries set created_at = created_at - $1::interval
            where created_at > now() - interval '30 minutes'`,
          [age],
        );
      }
      await open(`/webhooks/${id}`);
      for (const name of [/^Show the request of /, /^Retry \S/]) {
        const buttons = page.getByRole('table', { name: 'Deliveries' }).getByRole('button', { name });
        await buttons.nth(1).waitFor(SOON);
        const [first, second] = await buttons.evaluateAll(labels);
        expect(first).not.toBe(second);
      }
    },
    JOURNEY_MS,
  );

  it(
    'and titles show names and subjects in scripts that are written from right to left',
    async () => {
      const template = await make('/api/templates', { ...MESSAGE, name: HEBREW });
      const broadcast = await make('/api/broadcasts', { ...draft, name: HEBREW });
      await make('/api/send', { ...MESSAGE, from: 'a@acme.example', to: 'b@acme.example', campaignId: HEBREW });
      const inMain = (path: string, of: (main: Locator) => Locator) => ({ path, of });
      const link = (main: Locator) => main.getByRole('link', { name: HEBREW }).first();
      const title = (main: Locator) => main.getByRole('heading', { name: HEBREW, level: 1 });
      for (const { path, of } of [
        ...['/', '/emails', '/campaigns', '/templates', '/broadcasts'].map((path) => inMain(path, link)),
        inMain(`/templates/${template.id}`, title),
        inMain(`/templates/${template.id}`, (main) => main.getByLabel('Subject', { exact: true })),
        inMain(`/broadcasts/${broadcast.id}`, title),
        inMain(`/broadcasts/${broadcast.id}`, (main) => main.getByLabel('Name', { exact: true })),
      ]) {
        await open(path);
        const place = of(page.getByRole('main'));
        await place.waitFor(SOON);
        expect({ path, direction: await place.evaluate(directionOf) }).toEqual({ path, direction: 'rtl' });
      }
    },
    JOURNEY_MS,
  );

  it(
    'have columns again once the rows of a filter have room for them',
    async () => {
      const wide = `{{ ${'w'.repeat(190)} }}`;
      await make('/api/templates', { ...MESSAGE, name: 'W'.repeat(190), subject: wide });
      await make('/api/templates', { ...MESSAGE, name: 'Short' });
      await page.setViewportSize({ width: 900, height: 900 });
      await open('/templates');
      const table = page.locator('table[aria-label=Templates]');
      const blocks = page.locator('table[aria-label=Templates].blocks');
      await blocks.waitFor(SOON);
      const search = page.getByRole('searchbox', { name: 'Name' });
      await search.fill('short');
      await table.getByRole('link', { name: /^W/ }).waitFor({ state: 'detached' });
      await blocks.waitFor({ state: 'detached', ...SOON });
      await table.getByRole('link', { name: 'Short' }).waitFor();
      await search.fill('');
      await blocks.waitFor(SOON);
    },
    JOURNEY_MS,
  );
});

/** These run in the page. */
const labels = (buttons: unknown[]): (string | null)[] =>
  (buttons as { getAttribute(name: string): string | null }[]).map((button) => button.getAttribute('aria-label'));
const directionOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { direction: string } }).getComputedStyle(element)
    .direction;

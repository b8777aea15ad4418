import type { Page } from 'playwright-core';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** Shown as "spring exe.pdf" by a browser that obeys its override. */
const REVERSED = 'spring \u202efdp.exe';
const INVISIBLE = '\u200b\u2060\u3164';
const VISIBLE = 'only invisible characters (U+200B U+2060 U+3164)';
const SOON = { timeout: STEP_MS / 9 };
const MESSAGE = { from: 'ada@acme.example', subject: 'Hi', htmlContent: '<p>Hi</p>' };

let started: DashboardOfUser;
let page: Page;

journeys('a name with characters that deceive a reader', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner');
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(async () => {
    await page?.context().close();
    await started?.stop();
  });

  /** Creates an item with the name. @returns its ID */
  async function named(name: string, path: string, body: object = {}): Promise<string> {
    const response = await started.organization.post<{ id: string }>(path, { ...body, name });
    expect(response.status).toBeLessThan(300);
    return response.body.id;
  }

  it.each<[string, string, object]>([
    ['campaigns', '/api/campaigns', {}],
    ['keys', '/api/keys', { scopes: ['send'] }],
    ['templates', '/api/templates', { subject: MESSAGE.subject, htmlContent: MESSAGE.htmlContent }],
    ['broadcasts', '/api/broadcasts', MESSAGE],
  ])(
    'is shown as it is stored in the list of %s, apart from its surroundings',
    async (list, path, body) => {
      for (const name of [REVERSED, INVISIBLE]) await named(name, path, body);
      await page.goto(`${started.service.address}/${list}`);
      for (const text of ['spring fdp.exe', VISIBLE]) {
        const cell = page.getByRole('cell', { name: text, exact: true });
        await cell.waitFor(SOON);
        const isolated = cell.locator('[dir=auto], bdi').getByText(text, { exact: true });
        const own = cell.locator('[dir=auto], bdi').filter({ hasText: text });
        expect((await isolated.count()) + (await own.count())).toBeGreaterThan(0);
      }
    },
    JOURNEY_MS,
  );

  it(
    'is the visible heading and title of its page',
    async () => {
      const shown = 'only invisible characters (U+200B)';
      await page.goto(`${started.service.address}/campaigns/${await named('\u200b', '/api/campaigns')}`);
      await page.getByRole('heading', { name: shown, level: 1 }).waitFor(SOON);
      await page.waitForFunction(`document.title === '${shown} · Mailbeacon'`, undefined, SOON);
    },
    JOURNEY_MS,
  );

  it(
    'is in the question before its key is revoked',
    async () => {
      await page.goto(`${started.service.address}/keys`);
      await page.getByRole('button', { name: `Revoke ${VISIBLE}` }).click(SOON);
      await page.getByRole('dialog').getByText(VISIBLE).waitFor(SOON);
    },
    JOURNEY_MS,
  );
});

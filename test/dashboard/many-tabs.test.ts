import type { Browser, Page } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

/** The number of connections that browsers open to a host without HTTP/2, for all tabs together. */
const CONNECTIONS = 6;

let started: StartedDashboard;
let service: TestService;
let organization: TestClient;
let browser: Browser;

/** As a browser does with a tab that another covers. A browser without windows shows all of its tabs. */
function turn(page: Page, state: 'hidden' | 'visible'): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
}

journeys('more tabs than a browser opens connections', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const send = (subject: string) =>
    organization.post('/api/send', {
      ...{ from: 'ada@acme.example', to: 'reader@example.com', subject, htmlContent: '<p>Hi</p>' },
    });

  it(
    'load, and one that is shown again has what happened meanwhile and follows changes',
    async () => {
      const { email } = await newUser(service, organization.organizationId, 'viewer');
      const first = await signedInPage(browser, service, email);
      const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
      await isLive(first);
      let shown = first;
      for (let opened = 0; opened < CONNECTIONS; opened++) {
        await turn(shown, 'hidden');
        shown = await first.context().newPage();
        shown.setDefaultTimeout(STEP_MS / 3);
        await shown.goto(`${service.address}/emails`);
        await isLive(shown);
      }
      await send('While it was hidden');
      await shown.getByRole('link', { name: 'While it was hidden' }).waitFor();
      expect(await first.getByRole('link', { name: 'While it was hidden' }).count()).toBe(0);
      await turn(shown, 'hidden');
      await turn(first, 'visible');
      await first.getByRole('link', { name: 'While it was hidden' }).waitFor();
      await send('While it is shown');
      await first.getByRole('link', { name: 'While it is shown' }).waitFor();
      await isLive(first);
      await first.context().close();
    },
    JOURNEY_MS,
  );
});

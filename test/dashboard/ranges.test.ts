import { AWAIT_RESULT } from '../support/service.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;

journeys('the range of charts', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member', AWAIT_RESULT);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'is the usual one for an address with any other text',
    async () => {
      const { service, browser, organization, email } = started;
      const sent = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
      expect((await organization.post('/api/send', sent)).status).toBe(200);
      const page = await signedInPage(browser, service, email);
      for (const text of ['constructor', '31d']) {
        await page.goto(`${service.address}/?range=${text}`);
        await page.getByRole('button', { name: '30 days', pressed: true }).waitFor({ timeout: STEP_MS / 3 });
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import { goTo, JOURNEY_MS, STEP_MS } from './dashboard-page.js';
import { livePage, report } from './live-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

/** Shorter than the time after which a page that gets live changes polls. */
const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;

journeys('the connection for live changes', () => {
  beforeAll(async () => void (started = await startDashboardOf('viewer')), JOURNEY_MS);
  afterAll(() => started?.stop());

  const openPage = () => livePage(started.browser, started.service, started.email);

  it(
    'is shown as interrupted, and pages poll, until it is back',
    async () => {
      const page = await openPage();
      await report(page, 'paused');
      await page.getByText('Updates every 3 seconds').waitFor(SOON);
      await report(page, 'ready');
      await page.getByText('Live', { exact: true }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'lets pages show what they missed as soon as it is back',
    async () => {
      const page = await openPage();
      await goTo(page, 'Emails');
      await page.getByRole('heading', { name: 'Send the first email' }).waitFor(SOON);
      await started.organization.post('/api/send', {
        ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'Missed', htmlContent: '<p>Hi</p>' },
      });
      await report(page, 'paused', 'ready');
      await page.getByRole('link', { name: 'Missed' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

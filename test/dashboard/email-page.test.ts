import type { TestClient, TestService } from '../support/service.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const READER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Sent {
  readonly emailTrackingId: string;
  readonly pixelUrl: string;
}

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;

journeys('the page of an email', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    ({ service, organization } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const send = async (): Promise<Sent> => {
    const htmlContent = '<p>Hello <a href="https://acme.example/">Acme</a></p>';
    const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hello', htmlContent };
    return (await organization.post<Sent>('/api/send', { ...message, campaignId: 'News' })).body;
  };

  it(
    'says that its body was deleted, instead of denying the email that it shows',
    async () => {
      const { emailTrackingId } = await send();
      // As after EMAIL_CONTENT_RETENTION_DAYS.
      await service.database.query(`update email_contents set html = '', text = null, variables = null`);
      const page = await signedInPage(started.browser, service, started.email);
      await page.goto(`${service.address}/emails/${emailTrackingId}`);
      for (const tab of ['Preview', 'Text', 'Links']) {
        await page.getByRole('tab', { name: tab }).click();
        const view = page.getByRole('tabpanel', { name: tab });
        await view.getByText('The content is no longer stored.').waitFor(SOON);
        expect(await view.getByText('Email not found').count()).toBe(0);
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'follows live events under its tracking ID, too',
    async () => {
      const { emailTrackingId, pixelUrl } = await send();
      const page = await signedInPage(started.browser, service, started.email);
      await page.goto(`${service.address}/emails/${emailTrackingId}`);
      await page.waitForURL(/\/emails\/[\da-f-]{36}$/);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText('accepted', { exact: true }).waitFor();
      await service.track(pixelUrl, { headers: { 'user-agent': READER } });
      await page.getByRole('listitem').getByText('opened').waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

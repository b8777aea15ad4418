import type { Browser } from 'playwright-core';
import type { TestClient, TestService } from '../support/service.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';
import { watchConsole } from './page-checks.js';

let started: DashboardOfUser;
let service: TestService;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('the preview of an email', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer');
    ({ service, organization, browser, email } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it.each([
    ['an inline style', '<p style="background:url(https://elsewhere.example/a.png">Hello</p>'],
    ['a style sheet', '<style>p { background: url(https://elsewhere.example/b.png</style><p>Hello</p>'],
    ['a URL with escapes', '<p style="background:u\\72 l(https://elsewhere.example/c.png)">Hello</p>'],
    ['very many of them', `<p style="${'url('.repeat(100_000)}">Hello</p>`],
  ])(
    'requests nothing, and shows its text: %s',
    async (_, htmlContent) => {
      const { body } = await organization.post<{ emailTrackingId: string }>('/api/send', {
        ...{ from: 'ada@acme.example', to: 'rich@example.com', subject: 'Rich', htmlContent },
      });
      const page = await signedInPage(browser, service, email);
      page.setDefaultTimeout(STEP_MS / 3);
      const seen = watchConsole(page);
      const requests: string[] = [];
      page.on('request', (request) => void requests.push(request.url()));
      await page.goto(`${service.address}/emails/${body.emailTrackingId}`);
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.frameLocator('iframe').getByText('Hello').waitFor();
      expect(seen).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(service.address) && !url.startsWith('about:'))).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

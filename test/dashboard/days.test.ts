import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let browser: Browser;

journeys('a list that stays open', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'shows the day of what happened before midnight',
    async () => {
      const organization = await service.organization('pro', 'Acme');
      const { email } = await newUser(service, organization.organizationId, 'viewer');
      await organization.post('/api/send', {
        ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'Late', htmlContent: '<p>Hi</p>' },
      });
      const { body } = await organization.get<{ emails: { createdAt: string }[] }>('/api/emails');
      const page = await signedInPage(browser, service, email);
      // The day of the email does not end before the page is loaded.
      await page.clock.install({ time: new Date(body.emails[0]!.createdAt).setHours(12, 0, 0) });
      await page.reload();
      await goTo(page, 'Emails');
      const time = page.getByRole('row').filter({ hasText: 'Late' }).locator('time');
      await time.getByText(/^\d+:\d+:\d+ [AP]M$/).waitFor();
      await page.clock.fastForward(86_400_000);
      // With its year, if the email is of the last day of one.
      await time.getByText(/^[A-Z][a-z]{2} \d+, (\d{4}, )?\d+:\d+ [AP]M$/).waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

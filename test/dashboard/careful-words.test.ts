import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { openDraft } from './open-draft.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const MESSAGE = { from: 'ada@acme.example', subject: 'Hello', htmlContent: '<p>Hello</p>' };

let started: DashboardOfUser;
let page: Page;

journeys('words that prevent mistakes', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
    page = await signedInPage(started.browser, started.service, started.email);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  interface Listed {
    readonly id: string;
    readonly status: string;
  }

  it(
    'a retry of an email that may have been delivered asks first',
    async () => {
      const { service, organization } = started;
      // A policy of the server, which is no hard bounce: the recipient is not suppressed, and the retry delivers.
      service.mailServer.scripts.add('ada@example.com', { phase: 'rcpt', reply: '554 5.7.1 Refused by policy' }, 1);
      // A send without "Prefer" waits for the delivery, whose failure is its response.
      await organization.post('/api/send', { ...MESSAGE, to: 'ada@example.com' });
      const read = async () => (await organization.get<{ emails: Listed[] }>('/api/emails')).body.emails[0];
      const { id } = await eventually(async () => {
        const email = await read();
        return email?.status === 'failed' && email;
      });
      const statusOf = async () => (await read())?.status;
      await service.database.query(
        `update emails set last_error = 'Delivery outcome unknown: the connection dropped' where id = $1`,
        [id],
      );
      await page.goto(`${service.address}/emails/${id}`);
      await page.getByRole('button', { name: 'Retry' }).click();
      const question = page.getByRole('dialog', { name: 'Retry' });
      await question.getByText('its recipients may get it twice').waitFor(SOON);
      expect(await statusOf()).toBe('failed');
      await question.getByRole('button', { name: 'Retry' }).click();
      await eventually(async () => (await statusOf()) === 'sent', STEP_MS);
    },
    JOURNEY_MS,
  );

  it(
    'a campaign without reports does not look as if nothing had been delivered',
    async () => {
      await started.organization.post('/api/send', { ...MESSAGE, to: 'ada@example.com', campaignId: 'Spring' });
      await page.goto(`${started.service.address}/campaigns`);
      await page.getByRole('link', { name: 'Spring' }).click();
      const delivered = page.locator('.figure').filter({ hasText: 'Delivered' });
      await delivered.getByText('none reported').waitFor(SOON);
    },
    JOURNEY_MS,
  );

  it(
    'a bad line of recipients names the address as people do',
    async () => {
      const { page: draft } = await openDraft(started);
      await draft.getByLabel('Or paste').fill('email\nada@example.com\nnobody');
      await draft.getByRole('button', { name: 'Add recipients' }).click();
      const lines = draft.getByRole('region', { name: 'Bad lines' });
      await lines.getByText(/^The address must be one email address/).waitFor(SOON);
      await draft.context().close();
    },
    JOURNEY_MS,
  );
});

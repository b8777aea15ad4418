import type { Page } from 'playwright-core';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

let started: DashboardOfUser;
let receiver: WebhookReceiver;

journeys('a webhook', () => {
  beforeAll(async () => {
    receiver = await WebhookReceiver.listen();
    started = await startDashboardOf('owner', { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
  }, JOURNEY_MS);
  afterAll(async () => {
    await started?.stop();
    await receiver?.stop();
  });

  async function openWebhook(): Promise<{ page: Page; path: string }> {
    const { service, organization, browser, email } = started;
    const webhook = { url: receiver.url, events: ['EMAIL_SENT', 'EMAIL_FAILED'] };
    const { id } = (await organization.post<{ id: string }>('/api/webhooks', webhook)).body;
    const page = await signedInPage(browser, service, email);
    await page.goto(`${service.address}/webhooks/${id}`);
    await page.getByRole('heading', { name: receiver.url }).waitFor();
    return { page, path: `/api/webhooks/${id}` };
  }

  it(
    'gets other events, and keeps those it has when none is chosen',
    async () => {
      const { page, path } = await openWebhook();
      await page.getByRole('button', { name: 'Edit' }).click({ timeout: STEP_MS / 3 });
      const dialog = page.getByRole('dialog', { name: 'Edit webhook' });
      expect(await dialog.getByLabel('Address').inputValue()).toBe(receiver.url);
      const events = dialog.getByRole('group', { name: 'Events' });
      await events.getByLabel('EMAIL_FAILED').uncheck();
      await events.getByLabel('EMAIL_SENT').uncheck();
      await dialog.getByRole('button', { name: 'Save' }).click();
      expect(await dialog.getByRole('alert').textContent()).toMatch(/^Events must /);
      await events.getByLabel('EMAIL_OPENED').check();
      await dialog.getByLabel('Opens and clicks by people only').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.locator('main').getByText('EMAIL_OPENED', { exact: true }).waitFor();
      await page.locator('main').getByText('people only').waitFor();
      expect((await started.organization.get(path)).body).toMatchObject({
        ...{ url: receiver.url, events: ['EMAIL_OPENED'], people: true, enabled: true },
      });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that is disabled says why it can neither be tested nor repeat deliveries',
    async () => {
      const { page } = await openWebhook();
      await page.getByRole('button', { name: 'Send a test' }).click();
      const retry = page.getByRole('row').getByRole('button', { name: 'Retry' });
      await retry.waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page
        .getByText('It gets no events, tests or retries until you enable it.')
        .waitFor({ timeout: STEP_MS / 3 });
      for (const name of ['Send a test', 'Replay', 'Retry'])
        expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Disable' }).waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('row').nth(2).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

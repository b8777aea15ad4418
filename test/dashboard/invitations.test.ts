import type { Page } from 'playwright-core';
import { newUser } from '../support/people.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const OPERATOR = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';

let started: DashboardOfUser;

journeys('an invitation', () => {
  beforeAll(async () => {
    started = await startDashboardOf('owner', { USER_MAIL_ORGANIZATION: OPERATOR });
    const { database } = started.service;
    await database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [OPERATOR]);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  async function invite(address: string): Promise<Page> {
    const { browser, service, email } = started;
    const page = await signedInPage(browser, service, email);
    await goTo(page, 'People');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email address').fill(address);
    await page.getByRole('button', { name: 'Send invitation' }).click();
    return page;
  }

  const shown = (page: Page, text: string) =>
    page
      .getByRole('dialog')
      .getByText(text)
      .waitFor({ timeout: STEP_MS / 3 });

  it(
    'to somebody who has an account promises no link to set a password',
    async () => {
      const other = await started.service.organization('pro', 'Other');
      const { email } = await newUser(started.service, other.organizationId, 'member');
      const page = await invite(email);
      await shown(page, `An invitation is on its way to ${email}.`);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that could not be mailed says so, and not that the service sends no such mail',
    async () => {
      const email = 'suppressed@acme.example';
      await started.service.database.query(
        `insert into suppressions (organization_id, address_key, address, reason) values ($1, $2, $2, 'complaint')`,
        [OPERATOR, email],
      );
      const page = await invite(email);
      await shown(page, `${email} is in the organization, but got no mail about it.`);
      expect(await page.getByText('This service sends no mail').count()).toBe(0);
      await shown(page, `user reset --email ${email}`);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

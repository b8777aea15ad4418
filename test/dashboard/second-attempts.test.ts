import type { Browser } from 'playwright-core';
import { draft } from '../support/broadcast-client.js';
import { newUser, PASSWORD } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, isTitled, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

const NEW_PASSWORD = 'a quite different long sentence';

let started: StartedDashboard;
let service: TestService;
let organization: TestClient;
let browser: Browser;

const csv = (text: string) => ({ name: 'r.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

journeys('the second time', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  const memberPage = async () =>
    signedInPage(browser, service, (await newUser(service, organization.organizationId, 'member')).email);

  it(
    'a change of the password that fails does not say that it succeeded',
    async () => {
      const page = await memberPage();
      await goTo(page, 'Settings');
      const change = async (current: string) => {
        await page.getByLabel('Current password').fill(current);
        await page.getByLabel(/^New password/).fill(NEW_PASSWORD);
        await page.getByRole('button', { name: 'Change password' }).click();
      };
      const success = page.getByText('The password is changed.');
      await change(PASSWORD);
      await success.waitFor();
      await change('wrong, and long enough');
      await page.getByRole('alert').getByText('The current password is wrong').waitFor();
      expect(await success.count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'an import of suppressions that fails does not show the numbers of the one before',
    async () => {
      const page = await memberPage();
      await goTo(page, 'Suppressions');
      await page.getByRole('button', { name: 'Import' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import addresses' });
      const upload = async (text: string) => {
        await dialog.getByLabel('CSV file').setInputFiles(csv(text));
        await dialog.getByRole('button', { name: 'Import' }).click();
      };
      const numbers = dialog.getByText('1 address added');
      await upload('address\ntim@example.com\n');
      await numbers.waitFor();
      await upload('name\nTim\n');
      await dialog.getByRole('alert').waitFor();
      expect(await numbers.count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a file of recipients can be chosen in the same field, corrected',
    async () => {
      const draft = { name: 'Sale', from: 'ada@acme.example', subject: 'Sale', htmlContent: '<p>Sale</p>' };
      const { id } = (await organization.post<{ id: string }>('/api/broadcasts', draft)).body;
      const page = await memberPage();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(`${service.address}/broadcasts/${id}`);
      const field = page.getByLabel('CSV file');
      const [first] = await Promise.all([page.waitForEvent('filechooser'), field.click()]);
      await first.setFiles(csv('email\nada@example.com\n'));
      await page.getByRole('button', { name: 'Add recipients' }).waitFor();
      await Promise.all([page.waitForEvent('filechooser'), field.click()]);
      // A browser reports no change if the field has this file already.
      expect(await field.inputValue()).toBe('');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a file of recipients that is refused does not leave the one before to be added',
    async () => {
      const { id } = (await organization.post<{ id: string }>('/api/broadcasts', draft)).body;
      const page = await memberPage();
      await page.goto(`${service.address}/broadcasts/${id}`);
      const field = page.getByLabel('CSV file');
      const add = page.getByRole('button', { name: 'Add recipients' });
      await field.setInputFiles(csv('email\nada@example.com\n'));
      await add.waitFor();
      await field.setInputFiles(csv('ada@example.com\rbob@example.com\r'));
      const alert = page.getByRole('alert').getByText(/^From line 1 on, rows end with a carriage return alone/);
      await alert.waitFor({ timeout: STEP_MS / 3 });
      expect(await add.count()).toBe(0);
      await field.setInputFiles(csv('email;name\nada@example.com;"Ada\nbob@example.com;"Bob"\n'));
      await add.click();
      await page
        .getByRole('alert')
        .getByText(/^Line 2 begins a field of several lines/)
        .waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a title names the page that is shown, also one that cannot be loaded',
    async () => {
      const page = await memberPage();
      await goTo(page, 'Emails');
      await isTitled(page, 'Emails');
      await page.evaluate(`history.pushState(null, '', '/templates/0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')`);
      await page.getByRole('heading', { name: 'Template not found', level: 1 }).waitFor();
      await isTitled(page, 'Template not found');
      await page.goBack();
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor();
      await isTitled(page, 'Emails');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a screen reader is told that a text was copied',
    async () => {
      const page = await memberPage();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the command' }).click();
      await page
        .getByRole('status')
        .getByText('Copied', { exact: true })
        .waitFor({ timeout: STEP_MS / 3 });
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl -sS');
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a file of recipients that cannot be read says so, and can be chosen again',
    async () => {
      const page = await memberPage();
      const { body } = await organization.post<{ id: string }>('/api/broadcasts', draft);
      await page.goto(`${service.address}/broadcasts/${body.id}`);
      // As if the file had been moved since it was chosen.
      await page.evaluate(`window.read = Blob.prototype.text;
        Blob.prototype.text = () => Promise.reject(new DOMException('The file is gone', 'NotFoundError'))`);
      const choose = () => page.getByLabel('CSV file').setInputFiles(csv('email\ntim@example.com\n'));
      await choose();
      const alert = page.getByRole('alert');
      await alert.waitFor({ timeout: STEP_MS });
      expect(await alert.innerText()).toContain('could not be read');
      await page.evaluate('Blob.prototype.text = window.read');
      await choose();
      await page.getByLabel('email becomes').waitFor();
      expect(await alert.count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

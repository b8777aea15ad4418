import { Secret, TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { closeRouted, fillSignIn, goTo, JOURNEY_MS, openDashboard, signedInPage } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let organization: TestClient;
let browser: Browser;

journeys('people look after their organization and their account', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  function user(role: 'owner' | 'viewer') {
    return newUser(service, organization.organizationId, role);
  }

  it(
    'an owner invites a user, changes their role and removes them, and the audit log records it',
    async () => {
      const owner = await user('owner');
      const page = await signedInPage(browser, service, owner.email);
      await goTo(page, 'People');
      await page.getByRole('button', { name: 'Invite' }).click();
      const invitation = page.getByRole('dialog', { name: 'Invite somebody' });
      await invitation.getByLabel('Email address').fill('grace@acme.example');
      await invitation.getByRole('radio', { name: /^viewer/ }).check();
      await invitation.getByRole('button', { name: 'Send invitation' }).click();
      // This service sends no mail about accounts.
      await invitation.getByText('user reset --email grace@acme.example').waitFor();
      await invitation.getByRole('button', { name: 'Done' }).click();

      const row = page.getByRole('row', { name: /grace@acme\.example/ });
      await row.getByRole('cell', { name: 'viewer', exact: true }).waitFor();
      await row.getByRole('button', { name: 'Change role of grace@acme.example' }).click();
      const change = page.getByRole('dialog', { name: 'Role of grace@acme.example' });
      await change.getByRole('radio', { name: /^member/ }).check();
      await change.getByRole('button', { name: 'Change role' }).click();
      await row.getByRole('cell', { name: 'member', exact: true }).waitFor();

      await row.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog', { name: 'Remove' }).getByRole('button', { name: 'Remove' }).click();
      await row.waitFor({ state: 'detached' });

      await goTo(page, 'Audit');
      const entries = page.getByRole('table', { name: 'Audit' });
      // Who did it stands before what was done.
      const entry = (action: string) => entries.getByRole('row', { name: new RegExp(`${owner.email}.*${action}`) });
      await entry('user.created').waitFor();
      await page.getByLabel('Action').selectOption('user.role-changed');
      await page.waitForURL(/action=user\.role-changed/);
      await entry('user.created').waitFor({ state: 'detached' });
      await entry('user.role-changed').waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^audit-.+\.csv$/);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'closes a form that was refused without a question if nothing was typed into it',
    async () => {
      const [owner, { email }] = [await user('owner'), await user('viewer')];
      const page = await signedInPage(browser, service, owner.email);
      await goTo(page, 'People');
      await page.getByRole('button', { name: `Change role of ${email}` }).click();
      const change = page.getByRole('dialog', { name: `Role of ${email}` });
      await page.route('**/api/users/*', (route) => route.fulfill({ status: 400, json: { error: 'It is broken' } }));
      await change.getByRole('button', { name: 'Change role' }).click();
      await change.getByText('It is broken').waitFor();
      await page.keyboard.press('Escape');
      await change.waitFor({ state: 'detached' });
      await closeRouted(page);
    },
    JOURNEY_MS,
  );

  it(
    'a viewer sees people and changes none',
    async () => {
      const page = await signedInPage(browser, service, (await user('viewer')).email);
      await goTo(page, 'People');
      await page.getByRole('table', { name: 'People' }).waitFor();
      for (const name of ['Invite', 'Remove', /role of/])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a second factor is set up, required at sign-in, and replaced by a recovery code',
    async () => {
      const { email } = await user('owner');
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Settings');
      await page.getByRole('button', { name: 'Set up a second factor' }).click();
      await page.getByRole('dialog').getByLabel('Your password').fill('correct horse battery staple');
      await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
      const step = page.getByRole('dialog', { name: 'Add the secret to your app' });
      const link = await step.getByRole('link', { name: 'a link that opens the app' }).getAttribute('href');
      const app = new TOTP({ secret: Secret.fromBase32(new URL(link!).searchParams.get('secret')!) });
      await step.getByRole('textbox', { name: /^Code/ }).fill(app.generate());
      await step.getByRole('button', { name: 'Turn on' }).click();
      const codes = page.getByRole('dialog', { name: 'Save these recovery codes' });
      const [recoveryCode] = (await codes.getByText(/^([0-9a-f-]{20,}\s*){10}$/).innerText()).split(/\s/);
      await codes.getByRole('button', { name: 'I have saved them' }).click();
      await page.getByRole('button', { name: 'Remove the second factor' }).waitFor();
      await page.context().close();

      const later = await openDashboard(browser, service);
      await fillSignIn(later, email);
      await later.getByLabel(/Code from your authenticator app/).fill(recoveryCode!);
      await later.getByRole('button', { name: 'Sign in' }).click();
      await later.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await later.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a change of the password ends the session of another browser',
    async () => {
      const { email } = await user('owner');
      const [here, there] = [await signedInPage(browser, service, email), await signedInPage(browser, service, email)];
      await goTo(here, 'Settings');
      await here.getByLabel('Current password').fill('correct horse battery staple');
      await here.getByLabel('New password').fill('a quite different long sentence');
      await here.getByRole('button', { name: 'Change password' }).click();
      await here.getByText('The password is changed.').waitFor();
      // The page there sends a new request, which is refused within the seconds for which a session is cached.
      await there.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
      await here.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await here.getByRole('heading', { name: 'Emails', level: 1 }).waitFor();
      await Promise.all([here, there].map((page) => page.context().close()));
    },
    JOURNEY_MS,
  );
});

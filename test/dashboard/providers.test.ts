import type { Page } from 'playwright-core';
import { providerPauseKey } from '../../src/emails/delivery/provider-pause-key.js';
import { openCredentials } from '../../src/organizations/providers/provider-secrets.js';
import type { OrganizationProviderView } from '../../src/organizations/providers/provider-view.js';
import { readSmtpUrl } from '../../src/platform/config/smtp-server-address.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import { connectForBlocking } from '../../src/platform/redis/connect.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { addProvider } from '../support/own-providers.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SECRET = 'key-0123456789abcdef';
let started: DashboardOfUser;

const listed = async (): Promise<OrganizationProviderView[]> =>
  (await started.organization.get<{ providers: OrganizationProviderView[] }>('/api/providers')).body.providers;

/** Ends all providers, so that each journey begins without one. */
async function removeAll(): Promise<void> {
  for (const { id } of await listed()) await started.organization.delete(`/api/providers/${id}`);
}

journeys('the providers of an organization', () => {
  beforeAll(async () => {
    started = await startDashboardOf('member');
  }, JOURNEY_MS);
  afterEach(removeAll);
  afterAll(() => started?.stop());

  const open = async (): Promise<Page> => {
    const page = await signedInPage(started.browser, started.service, started.email);
    await goTo(page, 'Providers');
    return page;
  };

  it(
    'are added with the fields of their type, which depend on it, and show where they report events',
    async () => {
      const page = await open();
      await page.getByText('No providers yet').waitFor();
      await page.getByRole('button', { name: 'Add provider' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type').selectOption({ label: 'SMTP server' });
      await dialog.getByLabel('Host').waitFor();
      expect(await dialog.getByLabel('API key').count()).toBe(0);
      await dialog.getByLabel('Type').selectOption({ label: 'Mailgun' });
      await dialog.getByLabel('Name').fill('Marketing');
      await dialog.getByLabel('API key').fill(SECRET);
      await dialog.getByLabel('Sending domain in the account').fill('mg.acme.example');
      await dialog.getByLabel('HTTP webhook signing key').fill('two words');
      await dialog.getByLabel('Weight').fill('3');
      await dialog.getByLabel('Emails per second').fill('0.5');
      await dialog.getByRole('button', { name: 'Add provider' }).click();
      await dialog.getByText('The key of the events must be the HTTP webhook signing key').waitFor();
      await dialog.getByLabel('HTTP webhook signing key').fill('0123456789abcdef');
      await dialog.getByRole('button', { name: 'Add provider' }).click();
      await page.getByRole('heading', { name: 'Marketing', level: 1 }).waitFor();
      const [added] = await listed();
      expect(added).toMatchObject({ type: 'mailgun', account: 'mg.acme.example', weight: 3, perSecond: 0.5 });
      await page.getByText(added!.eventsUrl!).waitFor();
      await page.getByRole('button', { name: 'Copy the address for events' }).waitFor();
      expect(await page.content()).not.toContain(SECRET);
      await goTo(page, 'Providers');
      await page.getByRole('row', { name: /Marketing Mailgun mg\.acme\.example available 3 0\.5/ }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'have an address, a user and a password of any characters if they are SMTP servers',
    async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Add provider' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type').selectOption({ label: 'SMTP server' });
      await dialog.getByLabel('Name').fill('Own server');
      await dialog.getByLabel('Host').fill('smtp.acme.example');
      await dialog.getByLabel('User').fill('mailer@acme.example');
      await dialog.getByLabel('Password').fill('a/b?c#d@e:f%zz');
      await dialog.getByLabel('Port').selectOption('465 (TLS)');
      await dialog.getByRole('button', { name: 'Add provider' }).click();
      await page.getByRole('heading', { name: 'Own server', level: 1 }).waitFor();
      await page.getByText('smtps://smtp.acme.example:465').waitFor();
      const [row] = await started.service.database.query<{ id: string; sealed_credentials: string }>(
        'select id, sealed_credentials from organization_providers where name = $1',
        ['Own server'],
      );
      const box = new SecretBox(started.service.settings.ENCRYPTION_KEYS!);
      const { url } = openCredentials<'smtp'>(box, row!.id, row!.sealed_credentials);
      expect(readSmtpUrl(url).auth).toEqual({ user: 'mailer@acme.example', pass: 'a/b?c#d@e:f%zz' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'get other credentials, after which they are tried again, and another share',
    async () => {
      const { id } = await addProvider(started.organization, 'mailgun', 'Marketing');
      const redis = connectForBlocking(started.service.settings.REDIS_URL);
      await eventually(() => redis.status === 'ready');
      await redis.set(providerPauseKey(`${id}.1`), 'credential-refused', 'PX', 3_600_000);
      const tracked = { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' };
      await started.organization.post('/api/emails', tracked);
      const page = await signedInPage(started.browser, started.service, started.email);
      await page.getByText('the provider refuses the credentials').waitFor();
      await goTo(page, 'Providers');
      await page.getByRole('row', { name: /credentials refused/ }).waitFor();
      await page.getByRole('link', { name: 'Marketing' }).click();
      await page.getByText('The provider refuses the credentials').waitFor();
      await page.getByRole('button', { name: 'Change credentials' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change credentials' });
      await dialog.getByLabel('API key').fill(SECRET);
      await dialog.getByLabel('Sending domain in the account').fill('other.acme.example');
      await dialog.getByRole('button', { name: 'Change credentials' }).click();
      await page.getByText('other.acme.example').waitFor();
      await page.getByText('available', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Change', exact: true }).click();
      const share = page.getByRole('dialog', { name: 'Change provider' });
      await share.getByLabel('Name').fill('Receipts');
      await share.getByLabel('Weight').fill('7');
      await share.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Receipts', level: 1 }).waitFor();
      expect(await listed()).toMatchObject([{ name: 'Receipts', weight: 7, perSecond: null }]);

      // What somebody else changes while the form is open stays.
      const { id: providerId } = (await listed())[0]!;
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await started.organization.patch(`/api/providers/${providerId}`, { weight: 9 });
      await share.getByLabel('Emails per second').fill('5');
      await share.getByRole('button', { name: 'Save' }).click();
      await share.waitFor({ state: 'detached' });
      expect(await listed()).toMatchObject([{ name: 'Receipts', weight: 9, perSecond: 5 }]);

      await page.getByRole('button', { name: 'Change key' }).click();
      const key = page.getByRole('dialog', { name: 'Key of the events' });
      await key.getByLabel('HTTP webhook signing key').fill('new,old');
      await key.getByRole('button', { name: 'Save' }).click();
      await key.waitFor({ state: 'detached' });
      redis.disconnect();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'are deleted after a question',
    async () => {
      await addProvider(started.organization, 'resend', 'Old');
      const page = await open();
      await page.getByRole('link', { name: 'Old' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      const question = page.getByRole('dialog', { name: 'Delete' });
      await question.getByText('No more mail goes through “\u2068Old\u2069”').waitFor();
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No providers yet').waitFor();
      expect(await listed()).toEqual([]);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'are shown to a viewer, who cannot change them',
    async () => {
      const { service, organization, browser } = started;
      await addProvider(organization, 'resend', 'Receipts');
      const viewer = await newUser(service, organization.organizationId, 'viewer');
      const page = await signedInPage(browser, service, viewer.email);
      await goTo(page, 'Providers');
      await page.getByRole('link', { name: 'Receipts' }).click();
      await page.getByRole('heading', { name: 'Receipts', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Copy the address for events' }).waitFor();
      for (const name of [/^Add/, /^Change/, 'Delete'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import type { Browser } from 'playwright-core';
import type { DomainView } from '../../src/domains/domain-view.js';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import { DnsServer } from '../support/dns-server.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

/** Runs in the page. */
const colorOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { color: string } }).getComputedStyle(element).color;

let service: TestService;
let dns: DnsServer;
let receiver: WebhookReceiver;
let organization: TestClient;
let browser: Browser;
let email: string;

journeys('members work in the dashboard', () => {
  beforeAll(async () => {
    [dns, receiver] = await Promise.all([DnsServer.listen(), WebhookReceiver.listen()]);
    const environment = { DNS_SERVERS: dns.address, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' };
    service = await TestService.start({ environment });
    organization = await service.organization('pro', 'Acme');
    ({ email } = await newUser(service, organization.organizationId, 'member'));
    browser = await openChromium(chromium!);
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await Promise.all([dns?.close(), receiver?.stop()]);
  });

  const send = (to: string) =>
    organization.post('/api/send', {
      ...{ from: 'ada@acme.example', to, subject: 'Hello', htmlContent: '<p>Hello</p>' },
    });

  it(
    'verify a domain, and see what was found instead of its record',
    async () => {
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Domains');
      await page.getByRole('button', { name: 'Add domain' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Domain of your senders').fill('mail.acme.example');
      await dialog.getByRole('button', { name: 'Add domain' }).click();
      await page.getByRole('heading', { name: 'mail.acme.example', level: 1 }).waitFor();
      const { body } = await organization.get<{ domains: DomainView[] }>('/api/domains');
      const { name, value } = body.domains[0]!.records.find(({ purpose }) => purpose === 'ownership')!;
      await page.getByText(`${name}. 3600 IN TXT ${JSON.stringify(value)}`).waitFor();

      const record = page.getByRole('region', { name: 'ownership record' });
      dns.txt(name, 'another value');
      await page.getByRole('button', { name: 'Verify' }).click();
      await record.getByText('another value').waitFor();
      await record.getByText('not found', { exact: true }).waitFor();

      dns.txt(name, value);
      await page.getByRole('button', { name: 'Verify' }).click();
      await record.getByText('found', { exact: true }).waitFor();
      await page.getByText('verified', { exact: true }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'add a domain for links, and see when new emails use it',
    async () => {
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Domains');
      await page.getByRole('button', { name: 'Add tracking domain' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Domain of your links').fill('click.links.example');
      await dialog.getByRole('button', { name: 'Add tracking domain' }).click();
      await page.getByRole('heading', { name: 'click.links.example', level: 1 }).waitFor();
      const { body } = await organization.get<{ trackingDomains: TrackingDomainView[] }>('/api/tracking-domains');
      const [alias, proof] = body.trackingDomains[0]!.records;
      await page.getByText(`${alias!.name}. 3600 IN CNAME ${alias!.value}.`).waitFor();
      dns.txt(proof!.name, proof!.value);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('region', { name: 'ownership record' }).getByText('found', { exact: true }).waitFor();
      await page.getByText('not in use').waitFor();

      dns.cname(alias!.name, alias!.value);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('in links of new emails').waitFor();
      await goTo(page, 'Domains');
      await page.getByRole('row', { name: /click\.links\.example verified/ }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'replay what a webhook missed, and see its request and both responses',
    async () => {
      receiver.respond = respondWith(500, {}, 'not today');
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Webhooks');
      await page.getByRole('button', { name: 'New webhook' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Address').fill(receiver.url);
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await dialog.getByText(/^whsec_/).waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('link', { name: receiver.url }).click();
      await page.getByRole('heading', { name: receiver.url, level: 1 }).waitFor();

      await send('reader@example.com');
      const row = page.getByRole('row', { name: /EMAIL_SENT/ });
      await row.getByText('500').waitFor();
      // As after three days of retries.
      await eventually(async () => {
        const failed = await service.database.query(
          `update webhook_deliveries set status = 'failed', finished_at = now()
            where status = 'pending' and attempts > 0 and lease_token is null returning id`,
        );
        return failed.length === 1;
      }, STEP_MS);
      await row.getByText('failed').waitFor();

      receiver.respond = respondWith(200, {}, 'thanks');
      await page.getByRole('button', { name: 'Replay' }).click();
      const replay = page.getByRole('dialog', { name: 'Replay deliveries' });
      await replay.getByRole('button', { name: 'Replay' }).click();
      await replay.getByText('1 delivery on the way.').waitFor();
      await replay.getByRole('button', { name: 'Done' }).click();
      await row.getByText('delivered').waitFor();
      await page.getByRole('button', { name: 'Show the request of EMAIL_SENT' }).click();
      const shown = page.getByRole('dialog', { name: 'Delivery' });
      await shown.getByText('"subject": "Hello"').waitFor();
      await shown.getByText('thanks').waitFor();
      await shown.getByText('not today').first().waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'erase a contact, after they have read what that means',
    async () => {
      await send('forgotten@example.com');
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Contacts');
      await page.getByLabel('Address').fill('forgotten');
      await page.getByRole('link', { name: 'forgotten@example.com' }).click();
      await page.getByRole('heading', { name: 'forgotten@example.com', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Erase' }).click();
      const question = page.getByRole('dialog', { name: 'Erase' });
      await question.getByText('Everything stored about forgotten@example.com is erased for good').waitFor();
      await question.getByRole('button', { name: 'Erase' }).click();
      await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
      expect((await organization.get('/api/contacts/forgotten@example.com')).status).toBe(404);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it.each(['50%off@example.com', 'a%41b@example.com', 'a/b@example.com'])(
    'open the contact that they chose, whatever its address: %s',
    async (address) => {
      await send(address);
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Contacts');
      await page.getByRole('link', { name: address }).click();
      await page.getByRole('heading', { name: address, level: 1 }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: address, level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'write a template, see it filled in and go back to an earlier version',
    async () => {
      const page = await signedInPage(browser, service, email);
      await goTo(page, 'Templates');
      await page.getByRole('button', { name: 'New template' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Welcome');
      await dialog.getByLabel('Subject').fill('Welcome, {{ name }}');
      await dialog.getByRole('button', { name: 'Create template' }).click();
      await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
      const source = page.getByLabel('HTML or MJML');
      const first = await source.inputValue();

      // The preview shows what stands in the editor, and what is wrong with it, before anything is saved.
      const preview = page.frameLocator('iframe');
      await source.fill('<p>\n{{ oops</p>');
      await page.getByRole('button', { name: /^Go to line 2, column \d+$/ }).waitFor();
      await source.fill('<p style="color: red">Good day {{ title }}</p>');
      await preview.getByText('Good day', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Go to line/ }).waitFor({ state: 'detached' });
      expect(await preview.getByText('Good day').evaluate(colorOf)).toBe('rgb(255, 0, 0)');
      await page.getByLabel('Sample variables').fill('{ "title": "Dr. Ada" }');
      await preview.getByText('Good day Dr. Ada').waitFor();
      await page.getByText('not saved yet').waitFor();
      const { body } = await organization.get<{ templates: { version: number }[] }>('/api/templates');
      expect(body.templates).toMatchObject([{ version: 1 }]);
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 2').waitFor();

      await page.getByRole('button', { name: 'Edit version 1' }).click();
      await eventually(async () => (await source.inputValue()) === first, STEP_MS);
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('Saved as version 3').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

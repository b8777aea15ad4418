import type { Page } from 'playwright-core';
import { newUser } from '../support/people.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const READER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** Before the next regular refresh of a page that follows live changes. */
const SOON = { timeout: STEP_MS / 3 };

let started: DashboardOfUser;
let receiver: WebhookReceiver;

journeys('what causes no live change is shown soon:', () => {
  beforeAll(async () => {
    started = await startDashboardOf('viewer', { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' });
    receiver = await WebhookReceiver.listen();
    const added = await started.organization.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_SENT'] });
    expect(added).toMatchObject({ status: 201 });
  }, JOURNEY_MS);
  afterAll(async () => {
    await started?.stop();
    await receiver?.stop();
  });

  const signIn = () => signedInPage(started.browser, started.service, started.email);
  const open = async (path: string, page?: Page) => {
    page ??= await signIn();
    await page.goto(started.service.address + path);
    await page.getByText('Live', { exact: true }).waitFor();
    return page;
  };

  it(
    'the response to the webhook of an email',
    async () => {
      let respond = (): void => undefined;
      const held = new Promise<void>((resolve) => (respond = resolve));
      const { respond: atOnce } = receiver;
      const signedIn = await signIn();
      receiver.respond = (response, request) => void held.then(() => atOnce(response, request));
      const message = { from: 'ada@acme.example', to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hi</p>' };
      const sent = await started.organization.post<{ id: string; pixelUrl: string }>('/api/send', message);
      const { body: list } = await started.organization.get<{ emails: { id: string }[] }>('/api/emails');
      const page = await open(`/emails/${list.emails[0]!.id}`, signedIn);
      await page.getByText(/^pending/).waitFor(SOON);
      // The last live change of this email.
      await started.service.track(sent.body.pixelUrl, { headers: { 'user-agent': READER } });
      await page.getByRole('listitem').getByText('opened').waitFor(SOON);
      respond();
      receiver.respond = atOnce;
      await page.getByText(/^delivered with 2\d\d, \d attempts?$/).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a webhook and a domain that begin to fail',
    async () => {
      const { organization, service } = started;
      await organization.post('/api/domains', { domain: 'acme.example' });
      for (const [path, name, failure] of [
        ['/webhooks', /enabled/, 'update webhook_endpoints set failing_since = now()'],
        [
          '/domains',
          /acme\.example/,
          `update sending_domains set status = 'verified', verified_at = now(), unanswered_since = now()`,
        ],
      ] as const) {
        const page = await open(path);
        await page.getByRole('row', { name }).waitFor(SOON);
        await service.database.query(failure);
        await page.getByRole('row', { name: /failing/ }).waitFor(SOON);
        await page.context().close();
      }
    },
    JOURNEY_MS,
  );

  it(
    'templates, keys, people and entries of the audit log that others add',
    async () => {
      const { organization, service } = started;
      const message = { subject: 'Hello', htmlContent: '<p>Hello</p>' };
      const page = await signIn();
      for (const [path, shown, change, added] of [
        [
          '/templates',
          'No templates yet',
          () => organization.post('/api/templates', { ...message, name: 'Welcome' }),
          'Welcome',
        ],
        ['/keys', 'Scopes', () => organization.post('/api/keys', { name: 'Shop', scopes: ['send'] }), 'Shop'],
        ['/people', 'Role', () => newUser(service, organization.organizationId, 'owner'), 'owner'],
        ['/audit', 'Action', () => organization.post('/api/campaigns', { name: 'Spring' }), 'campaign.created'],
      ] as const) {
        await open(path, page);
        await page.getByText(shown, { exact: true }).first().waitFor(SOON);
        await change();
        await page.getByRole('row').getByText(added, { exact: true }).waitFor(SOON);
      }
      // It names keys that are newer than the page, also if that fails once.
      const broken = { status: 400, json: { error: 'It is broken' } };
      await page.route('**/api/keys?*', (route) => route.fulfill(broken), { times: 1 });
      await organization.post('/api/keys', { name: 'Till', scopes: ['send'] });
      await page.getByRole('row').getByText('Till', { exact: true }).first().waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'the usage of a budget',
    async () => {
      const page = await open('/settings', await signIn());
      const webhooks = page.locator('.usage', { has: page.getByText('Webhooks', { exact: true }) });
      await webhooks.getByText('1 of 10').waitFor(SOON);
      const added = await started.organization.post('/api/webhooks', {
        url: `${receiver.url}/2`,
        events: ['EMAIL_SENT'],
      });
      expect(added).toMatchObject({ status: 201 });
      await webhooks.getByText('2 of 10').waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

journeys('a list of contacts', () => {
  beforeAll(async () => void (started = await startDashboardOf('viewer')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'shows new contacts and their activity by itself',
    async () => {
      const { organization, service, browser, email } = started;
      const page = await signedInPage(browser, service, email);
      await page.goto(`${service.address}/contacts`);
      await page.getByText('No contacts yet').waitFor(SOON);
      await page.getByText('Live', { exact: true }).waitFor();
      const message = { from: 'ada@acme.example', to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hi</p>' };
      for (const count of ['1', '2']) {
        await organization.post('/api/send', message);
        const emails = page.getByRole('row', { name: 'ada@example.com' }).getByRole('cell').nth(3);
        await emails.getByText(count, { exact: true }).waitFor(SOON);
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

journeys('without a live connection', () => {
  beforeAll(async () => void (started = await startDashboardOf('viewer')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'a new campaign is on the overview',
    async () => {
      const { organization, service, browser, email } = started;
      await organization.post('/api/emails', { to: 'ada@example.com', subject: 'Hello', htmlContent: '<p>Hello</p>' });
      const page = await signedInPage(browser, service, email);
      await page.route('**/api/live', (route) => route.abort());
      await page.reload();
      await page.getByText('None yet.').waitFor();
      await organization.post('/api/campaigns', { name: 'Spring' });
      await page.getByRole('link', { name: 'Spring' }).waitFor(SOON);
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import type { Browser, Page } from 'playwright-core';
import { newUser, PASSWORD } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, openDashboard, signedInPage } from './dashboard-page.js';
import { hasFocus, pressUntil, tabTo } from './keyboard.js';

const chromium = findChromium();
if (chromium === undefined) console.warn('Journeys through the dashboard are skipped: set CHROMIUM_PATH to a Chromium');
const journeys = chromium === undefined ? describe.skip : describe;

let service: TestService;
let organization: TestClient;
let browser: Browser;
let emails: { owner: string; viewer: string };

function send(subject: string, by = organization) {
  return by.post<{ emailTrackingId: string }>('/api/send', {
    ...{ from: 'ada@acme.example', to: 'reader@example.com', subject, campaignId: 'First steps' },
    htmlContent: '<p>Hi <a href="https://acme.example/">there</a></p>',
  });
}

beforeAll(async () => {
  if (chromium === undefined) return;
  service = await TestService.start();
  browser = await openChromium(chromium);
}, JOURNEY_MS);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

journeys('people use the dashboard', () => {
  beforeAll(async () => {
    organization = await service.organization('pro', 'Acme');
    const [owner, viewer] = [
      await newUser(service, organization.organizationId, 'owner'),
      await newUser(service, organization.organizationId, 'viewer'),
    ];
    emails = { owner: owner.email, viewer: viewer.email };
  }, JOURNEY_MS);

  it(
    'the page of an organization without emails shows the first one as soon as it arrives',
    async () => {
      const page = await signedInPage(browser, service, emails.owner);
      await page.getByRole('heading', { name: 'Send the first email' }).waitFor();
      await send('Hello from a test');
      await page.getByRole('link', { name: 'Hello from a test' }).click();
      await page.getByRole('heading', { name: 'Hello from a test', level: 1 }).waitFor();
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.frameLocator('iframe').getByText('Hi there').waitFor();
      const { body } = await organization.get<{ emails: { opens: number; clicks: number }[] }>('/api/emails');
      expect(body.emails[0]).toMatchObject({ opens: 0, clicks: 0 });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'text from senders and recipients is shown as text and never runs',
    async () => {
      const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
      await send(hostile);
      const page = await signedInPage(browser, service, emails.owner);
      for (const name of ['Emails', 'Campaigns', 'Contacts']) {
        await goTo(page, name);
        await page.getByRole('table').waitFor();
      }
      await goTo(page, 'Emails');
      await page.getByRole('link', { name: hostile }).click();
      await page.getByRole('heading', { name: hostile, level: 1 }).waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a viewer can read everything and change nothing',
    async () => {
      const page = await signedInPage(browser, service, emails.viewer);
      for (const [name, action] of [
        ['Campaigns', 'New campaign'],
        ['Webhooks', 'New webhook'],
        ['API keys', 'New key'],
      ] as const) {
        await goTo(page, name);
        expect(await page.getByRole('button', { name: action }).count()).toBe(0);
      }
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

journeys('with the keyboard alone', () => {
  let reader: string;

  beforeAll(async () => {
    const keys = await service.organization('pro', 'Keys');
    ({ email: reader } = await newUser(service, keys.organizationId, 'owner'));
    for (const subject of ['First', 'Second']) await send(subject, keys);
  }, JOURNEY_MS);

  async function open(page: Page, name: string): Promise<void> {
    await tabTo(page, page.getByRole('navigation').getByRole('link', { name, exact: true }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await hasFocus(page.getByRole('main'));
  }

  async function signInByKeys(): Promise<Page> {
    const page = await openDashboard(browser, service);
    await tabTo(page, page.getByLabel('Email address'));
    await page.keyboard.type(reader);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    return page;
  }

  it(
    'readers sign in, skip to the content and open an email of the list',
    async () => {
      const page = await signInByKeys();
      await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }));
      await page.keyboard.press('Enter');
      await hasFocus(page.getByRole('main'));
      await page.reload();
      await open(page, 'Emails');
      const [first, second] = ['First', 'Second'].map((name) => page.getByRole('link', { name }));
      await first!.waitFor();
      for (const [key, reached] of [
        ['j', first],
        ['k', second],
        ['j', first],
      ] as const)
        await pressUntil(page, key, reached!);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'First', level: 1 }).waitFor();
      await tabTo(page, page.getByRole('tab', { name: 'Timeline' }));
      await page.keyboard.press('ArrowRight');
      await hasFocus(page.getByRole('tab', { name: 'Preview', selected: true }));
      await page.keyboard.press('End');
      await page.getByText('"subject": "First"').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'a page that is busy loses no click that follows Escape',
    async () => {
      const page = await signInByKeys();
      await open(page, 'API keys');
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').waitFor();
      // A busy page handles both before the event that the dialog has closed.
      await page.evaluate(`document.querySelector('dialog').requestClose();
        [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'New key').click();`);
      await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done)))');
      await hasFocus(page.getByRole('dialog').getByLabel('Name'));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'dialogs take the focus, and return it to the previous element or to the content',
    async () => {
      const page = await signInByKeys();
      await open(page, 'API keys');
      const create = page.getByRole('button', { name: 'New key' });
      await tabTo(page, create);
      await page.keyboard.press('Enter');
      await hasFocus(page.getByRole('dialog').getByLabel('Name'));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await hasFocus(create);

      await page.keyboard.press('Enter');
      await hasFocus(page.getByRole('dialog').getByLabel('Name'));
      await page.keyboard.type('Till');
      await page.keyboard.press('Enter');
      await page.getByText('It is never shown again').waitFor();
      await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Done' }));
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await hasFocus(create);

      const row = page.getByRole('row', { name: /Till/ });
      await tabTo(page, row.getByRole('button', { name: 'Revoke' }));
      await page.keyboard.press('Enter');
      const question = page.getByRole('dialog', { name: 'Revoke' });
      await tabTo(page, question.getByRole('button', { name: 'Revoke' }));
      await page.keyboard.press('Enter');
      await row.waitFor({ state: 'detached' });
      // The button that had the focus was removed.
      await hasFocus(page.getByRole('main'));
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

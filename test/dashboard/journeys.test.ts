import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { newUser, PASSWORD } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';

const chromium = findChromium();
if (chromium === undefined) console.warn('Journeys through the dashboard are skipped: set CHROMIUM_PATH to a Chromium');
const journeys = chromium === undefined ? describe.skip : describe;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TIMEOUT_MS = 400_000;

let service: TestService;
let organization: TestClient;
let browser: Browser;
let emails: { owner: string; viewer: string };

journeys('people use the dashboard', () => {
  beforeAll(async () => {
    service = await TestService.start();
    organization = await service.organization('pro', 'Acme');
    const [owner, viewer] = [
      await newUser(service, organization.organizationId, 'owner'),
      await newUser(service, organization.organizationId, 'viewer'),
    ];
    emails = { owner: owner.email, viewer: viewer.email };
    browser = await openChromium(chromium!);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  async function signIn(email = emails.owner): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(service.address);
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    return page;
  }

  function send(subject: string, to = 'reader@example.com') {
    return organization.post<{ emailTrackingId: string }>('/api/send', {
      ...{ from: 'ada@acme.example', to, subject, campaignId: 'First steps' },
      htmlContent: '<p>Hi <a href="https://acme.example/">there</a></p>',
    });
  }

  it(
    'an organization without emails waits for the first one, and shows it by itself',
    async () => {
      const page = await signIn();
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
    TIMEOUT_MS,
  );

  it(
    'text of strangers is shown as text and never runs',
    async () => {
      const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
      await send(hostile);
      const page = await signIn();
      for (const name of ['Emails', 'Campaigns', 'Contacts']) {
        await page.getByRole('navigation').getByRole('link', { name }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await page.getByRole('table').waitFor();
      }
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await page.getByRole('link', { name: hostile }).click();
      await page.getByRole('heading', { name: hostile, level: 1 }).waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      await page.context().close();
    },
    TIMEOUT_MS,
  );

  it(
    'a viewer reads, and finds nothing to change',
    async () => {
      const page = await signIn(emails.viewer);
      for (const [name, action] of [
        ['Campaigns', 'New campaign'],
        ['Webhooks', 'New webhook'],
        ['API keys', 'New key'],
      ] as const) {
        await page.getByRole('navigation').getByRole('link', { name }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        expect(await page.getByRole('button', { name: action }).count()).toBe(0);
      }
      await page.context().close();
    },
    TIMEOUT_MS,
  );

  it(
    'axe finds nothing serious on any page, light or dark, and none is wider than a small screen',
    async () => {
      await send('For axe');
      const page = await signIn();
      const links = await page.getByRole('navigation').getByRole('link').all();
      const names = await Promise.all(links.map((link) => link.innerText()));
      expect(names.length).toBeGreaterThan(10);
      for (const name of names) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          // The test may add a script, which the policy of the page forbids to everybody else.
          await page.evaluate(AXE);
          const found = await page.evaluate(
            `axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
          );
          expect({ name, colorScheme, found }).toEqual({ name, colorScheme, found: [] });
        }
        await page.setViewportSize({ width: 360, height: 740 });
        const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
        expect({ name, width }).toEqual({ name, width: 360 });
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await page.context().close();
    },
    TIMEOUT_MS,
  );
});

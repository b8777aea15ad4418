import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { DnsServer } from '../support/dns-server.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { findChromium, openChromium } from './chromium.js';
import { openDashboard, signedInPage } from './dashboard-page.js';
import { seedOrganization, type Seeded } from './seeded-organization.js';

/** `npm run screenshots` takes a picture of every page on seeded data. PAGES=broadcasts,domain takes only those. */
const FOLDER = process.env.SCREENSHOTS_FOLDER ?? 'docs/images';
const CHOSEN = process.env.PAGES?.split(',');
const SIZES = [
  ['wide', { width: 1280, height: 860 }],
  ['small', { width: 360, height: 740 }],
] as const;
/** A broadcast is shown once it has sent as many. */
const SENT_BEFORE = 120;
const QUALITY = 0.82;

/** Name, path, and what stands on the page once it has everything. */
const PAGES: readonly [string, (ids: Seeded) => string, string][] = [
  ['overview', () => '/', 'h1'],
  ['emails', () => '/emails', 'table'],
  ['email', ({ email }) => `/emails/${email}`, '.timeline'],
  ['campaigns', () => '/campaigns', 'table'],
  ['campaign', ({ campaign }) => `/campaigns/${campaign}`, 'table'],
  ['templates', () => '/templates', 'table'],
  ['template', ({ template }) => `/templates/${template}`, '.subject'],
  ['contacts', () => '/contacts', 'table'],
  ['contact', ({ contact }) => `/contacts/${encodeURIComponent(contact)}`, '.timeline'],
  ['suppressions', () => '/suppressions', 'table'],
  ['domains', () => '/domains', 'table'],
  ['domain', ({ domain }) => `/domains/${domain}`, '.record'],
  ['webhooks', () => '/webhooks', 'table'],
  ['webhook', ({ webhook }) => `/webhooks/${webhook}`, 'table'],
  ['keys', () => '/keys', 'table'],
  ['people', () => '/people', 'h1'],
  ['audit', () => '/audit', 'table'],
  ['settings', () => '/settings', 'h1'],
  // Last, because they begin to send.
  ['broadcasts', () => '/broadcasts', 'table'],
  ['draft', ({ draft }) => `/broadcasts/${draft}`, '.subject'],
  ['broadcast', ({ broadcast }) => `/broadcasts/${broadcast}`, 'iframe'],
];

let service: TestService;
let dns: DnsServer;
let receiver: WebhookReceiver;
let browser: Browser;
let owner: string;
let organization: TestClient;
let ids: Seeded;

beforeAll(async () => {
  [dns, receiver] = await Promise.all([DnsServer.listen(), WebhookReceiver.listen()]);
  service = await TestService.start({
    environment: { DNS_SERVERS: dns.address, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_PER_MINUTE: '0' },
  });
  organization = await service.organization('pro', 'Acme');
  ({ email: owner } = await newUser(service, organization.organizationId, 'owner'));
  await newUser(service, organization.organizationId, 'viewer');
  ids = await seedOrganization(service, organization, dns, receiver);
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('Set CHROMIUM_PATH to a Chromium');
  browser = await openChromium(chromium);
  mkdirSync(FOLDER, { recursive: true });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await Promise.all([dns?.close(), receiver?.stop()]);
});

/** In all sizes and colors. */
async function picture(page: Page, name: string, converter: Page): Promise<void> {
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      const webp = await converter.evaluate(`(async () => {
        const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext('2d').drawImage(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} });
        return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
      })()`);
      writeFileSync(join(FOLDER, `${name}-${size}-${colorScheme}.webp`), Buffer.from(String(webp), 'base64'));
      if (process.env.PNG) writeFileSync(join(FOLDER, `${name}-${size}-${colorScheme}.png`), png);
    }
  }
}

it('takes a picture of every page', async () => {
  const converter = await browser.newPage();
  if (!CHOSEN || CHOSEN.includes('sign-in')) {
    const stranger = await openDashboard(browser, service);
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor();
    await picture(stranger, 'sign-in', converter);
    await stranger.context().close();
  }
  const page = await signedInPage(browser, service, owner);
  const sending = new Set(['broadcasts', 'broadcast']);
  for (const [name, pathOf, shown] of PAGES.filter(([name]) => !CHOSEN || CHOSEN.includes(name))) {
    if (sending.has(name)) {
      await organization.post(`/api/broadcasts/${ids.broadcast}/send`);
      await eventually(async () => {
        const { body } = await organization.get<{ progress: { sent: number } }>(`/api/broadcasts/${ids.broadcast}`);
        return body.progress.sent >= SENT_BEFORE;
      }, 120_000);
    }
    await page.goto(service.address + pathOf(ids));
    await page.locator(`main ${shown}`).first().waitFor();
    await page.waitForFunction(`document.querySelectorAll('.skeleton, [role=alert]').length === 0`);
    await picture(page, name, converter);
  }
}, 600_000);

import type { Browser, Page } from 'playwright-core';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { complete } from './page-checks.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

const PHONE = { width: 360, height: 740 };
/** Without a place to break a line. */
const NAME = 'W'.repeat(190);
const DOMAIN = `${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(40)}.example`;
const MESSAGE = { subject: NAME.repeat(3), htmlContent: '<p>Hello</p>' };
const PROVIDER = {
  ...{ name: 'W'.repeat(100), type: 'mailgun', eventKey: '0123456789abcdef' },
  credentials: { apiKey: 'key', domain: DOMAIN },
};
const FROM = `${'f'.repeat(64)}@acme.example`;
const TO = `${'a'.repeat(64)}@${DOMAIN}`;

let service: TestService;
let organization: TestClient;
let browser: Browser;
let page: Page;

journeys('pages on a phone hold the longest names', () => {
  beforeAll(async () => {
    service = await TestService.start();
    organization = await service.organization('pro', 'O'.repeat(100));
    browser = await openChromium(chromium!);
    page = await signedInPage(browser, service, (await newUser(service, organization.organizationId, 'owner')).email);
    await page.setViewportSize(PHONE);
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** The page of a new item. */
  async function made(path: string, body: object): Promise<string> {
    return `${path}/${(await organization.post<{ id: string }>(`/api${path}`, body)).body.id}`;
  }

  const sent = async (): Promise<string> => {
    const body = { ...MESSAGE, from: FROM, to: TO, campaignId: NAME, tags: ['t'.repeat(50)] };
    return (await organization.post<{ emailTrackingId: string }>('/api/send', body)).body.emailTrackingId;
  };

  it.each<[string, () => string | Promise<string>]>([
    ['an email', async () => `/emails/${await sent()}`],
    ['the emails of a campaign', () => `/emails?campaignId=${NAME}`],
    ['a contact', () => `/contacts/${encodeURIComponent(TO)}`],
    ['a template', () => made('/templates', { ...MESSAGE, name: NAME })],
    ['a broadcast', () => made('/broadcasts', { ...MESSAGE, name: NAME, from: FROM })],
    ['a domain', () => made('/domains', { domain: DOMAIN })],
    ['a provider', () => made('/providers', PROVIDER)],
    ['the overview', () => '/'],
    ['campaigns', () => '/campaigns'],
  ])(
    '%s',
    async (_, address) => {
      await page.goto(service.address + (await address()));
      await complete(page, 'h1');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    },
    JOURNEY_MS,
  );
});

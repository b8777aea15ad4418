import type { Browser } from 'playwright-core';
import { systemClock } from '../../src/platform/clock/clock.js';
import { UserTokens } from '../../src/users/user-tokens.js';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import { TestService } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { fillSignIn, JOURNEY_MS, openDashboard, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

const OPERATOR = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e78';
const NEW_PASSWORD = 'a quite different long sentence';

let service: TestService;
let browser: Browser;

journeys('the sign-in page', () => {
  beforeAll(async () => {
    browser = await openChromium(chromium!);
  }, JOURNEY_MS);
  afterEach(async () => service?.stop());
  afterAll(async () => browser?.close());

  it(
    'offers OpenID and a link for a forgotten password where the installation has them',
    async () => {
      const environment = {
        USER_MAIL_ORGANIZATION: OPERATOR,
        ...{ OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'mailbeacon', OIDC_CLIENT_SECRET: 'secret' },
      };
      service = await TestService.start({ environment });
      await service.database.query("insert into organizations (id, name, plan) values ($1, 'Operator', 'pro')", [
        OPERATOR,
      ]);
      const { organizationId } = await service.organization('pro', 'Acme');
      const { email } = await newUser(service, organizationId, 'viewer');

      const page = await openDashboard(browser, service, '/sign-in#refused');
      await page.getByRole('alert').getByText('OpenID did not sign you in').waitFor();
      await page.goto('about:blank');
      await page.goto(`${service.address}/sign-in#unavailable`);
      await page.getByRole('alert').getByText('The OpenID provider does not respond as it should.').waitFor();
      await page.goto('about:blank');
      await page.goto(`${service.address}/sign-in#throttled`);
      await page.getByRole('alert').getByText('too many sign-ins with OpenID').waitFor();
      const openId = page.getByRole('link', { name: 'Sign in with OpenID' });
      expect(await openId.getAttribute('href')).toBe('/api/session/oidc');
      await page.getByRole('button', { name: 'Forgot your password?' }).click();
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByRole('status').getByText(`If ${email} has an account`).waitFor();

      const link = await eventually(() => {
        const mail = service.mailServer.messages.find(({ recipients }) => recipients.includes(email));
        const text = mail?.content.toString().replaceAll(/=\r?\n/g, '') ?? '';
        return /\/set-password#token=(?:3D)?[\w-]+/.exec(text)?.[0].replace('=3D', '=');
      }, STEP_MS);
      await page.goto(service.address + link);
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await fillSignIn(page, email, NEW_PASSWORD);
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'offers neither where the installation has none',
    async () => {
      service = await TestService.start({ environment: { ROLES: 'api' } });
      const page = await browser.newPage();
      const [options] = await Promise.all([page.waitForResponse('**/api/session/options'), page.goto(service.address)]);
      expect(await options.json()).toEqual({ oidc: false, passwordReset: false });
      await page.getByLabel('Password').waitFor();
      expect(await page.getByText('OpenID').count()).toBe(0);
      expect(await page.getByText('Forgot your password?').count()).toBe(0);
      await page.close();
    },
    JOURNEY_MS,
  );

  it(
    'returns to the page that it replaced, also from the OpenID provider',
    async () => {
      const environment = {
        OIDC_ISSUER: 'https://id.example',
        OIDC_CLIENT_ID: 'mailbeacon',
        OIDC_CLIENT_SECRET: 'secret',
      };
      service = await TestService.start({ environment });
      const { organizationId } = await service.organization('pro', 'Acme');
      const { email, id } = await newUser(service, organizationId, 'viewer');
      const page = await openDashboard(browser, service, '/campaigns?range=7d');
      const token = await new UserTokens(service.database, systemClock).create(id, 'sign-in', STEP_MS);
      // The provider, and the callback that it redirects to.
      await page.route('**/api/session/oidc', (route) =>
        route.fulfill({ status: 302, headers: { location: `/sign-in#token=${token}` } }),
      );
      await page.getByRole('link', { name: 'Sign in with OpenID' }).click();
      await page.getByRole('button', { name: 'Sign in with this link' }).click();
      await page.waitForURL('**/campaigns?range=7d', { timeout: STEP_MS / 3 });
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await page.context().clearCookies();
      await page.goto(`${service.address}/emails?status=sent`);
      await fillSignIn(page, email);
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor();
      expect(new URL(page.url()).search).toBe('?status=sent');
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

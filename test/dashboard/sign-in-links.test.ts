import type { Page } from 'playwright-core';
import { systemClock } from '../../src/platform/clock/clock.js';
import type { TokenPurpose } from '../../src/users/token-purposes.js';
import { UserTokens } from '../../src/users/user-tokens.js';
import { newUser } from '../support/people.js';
import { JOURNEY_MS, openDashboard, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

const NEW_PASSWORD = 'a quite different long sentence';
const SHORT_MS = STEP_MS / 3;

let started: StartedDashboard;

journeys('a link', () => {
  beforeAll(async () => {
    started = await startDashboard();
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** The token of a new link of a new user. */
  async function newToken(purpose: TokenPurpose): Promise<string> {
    const { service, organization } = started;
    const { id } = await newUser(service, organization.organizationId, 'viewer');
    return new UserTokens(service.database, systemClock).create(id, purpose, JOURNEY_MS);
  }

  const opened = (path: string): Promise<Page> => openDashboard(started.browser, started.service, path);

  it(
    'that signs in works in the tab of a link that no longer does',
    async () => {
      const page = await opened('/sign-in#token=used');
      const signIn = page.getByRole('button', { name: 'Sign in with this link' });
      await signIn.click();
      await page.getByRole('alert').getByText('no longer valid').waitFor();
      await page.goto(`${started.service.address}/sign-in#token=${await newToken('sign-in')}`);
      await page.waitForURL((url) => url.hash === '', { timeout: SHORT_MS });
      await signIn.click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that sets a password works in the tab of a link that no longer does',
    async () => {
      const page = await opened('/set-password#token=used');
      await page.getByLabel('New password').waitFor();
      await page.goto(`${started.service.address}/set-password#token=${await newToken('password')}`);
      await page.waitForURL((url) => url.hash === '', { timeout: SHORT_MS });
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByText('The password is set.').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'that no longer works leads to the other ways to sign in',
    async () => {
      const page = await opened('/sign-in#token=used');
      await page.getByRole('link', { name: 'sign in another way' }).click({ timeout: SHORT_MS });
      await page.getByLabel('Password').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'without its token asks for no password, which could not be set',
    async () => {
      const page = await opened('/set-password');
      await page.getByText('Open your link again').waitFor({ timeout: SHORT_MS });
      expect(await page.getByLabel('New password').count()).toBe(0);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Password').waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

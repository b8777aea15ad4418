import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';
import { goTo, JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';

const chromium = findChromium();
const journeys = chromium === undefined ? describe.skip : describe;

let service: TestService;
let organization: TestClient;
let browser: Browser;

journeys('a page that can no longer be read', () => {
  beforeAll(async () => {
    service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
    organization = await service.organization('pro', 'Acme');
    browser = await openChromium(chromium!);
  }, JOURNEY_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it(
    'makes way for the sign-in when its user is removed from the organization',
    async () => {
      const user = await newUser(service, organization.organizationId, 'member');
      const page = await signedInPage(browser, service, user.email);
      await goTo(page, 'Broadcasts');
      await service.database.query('delete from users where id = $1', [user.id]);
      await page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: STEP_MS / 3 });
      const other = await service.organization('pro', 'Other');
      const member = await newUser(service, organization.organizationId, 'member');
      await service.database.query("insert into memberships values ($1, $2, 'owner', now() + interval '1 second')", [
        member.id,
        other.organizationId,
      ]);
      const of = await signedInPage(browser, service, member.email);
      await goTo(of, 'Broadcasts');
      await service.database.query('delete from memberships where user_id = $1 and organization_id = $2', [
        member.id,
        organization.organizationId,
      ]);
      await of.locator('strong', { hasText: 'Other' }).waitFor({ timeout: STEP_MS / 3 });
      await page.context().close();
      await of.context().close();
    },
    JOURNEY_MS,
  );
});

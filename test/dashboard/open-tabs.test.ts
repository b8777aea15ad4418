import type { Browser } from 'playwright-core';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { goTo, JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { journeys, startDashboard, type StartedDashboard } from './start-dashboard.js';

let started: StartedDashboard;
let service: TestService;
let acme: TestClient;
let browser: Browser;

journeys('tabs that stay open', () => {
  beforeAll(async () => {
    started = await startDashboard();
    ({ service, organization: acme, browser } = started);
  }, JOURNEY_MS);
  afterAll(() => started?.stop());

  /** After an upgrade, the scripts of pages that were not opened yet are gone. */
  const SCRIPTS = /\/assets\/(campaigns|contacts)-[^/]*\.js$/;

  it(
    'load a page of a newer version by a reload',
    async () => {
      const page = await signedInPage(browser, service, (await newUser(service, acme.organizationId, 'viewer')).email);
      let refused = 0;
      await page.route(SCRIPTS, (route) => (refused++ === 0 ? route.fulfill({ status: 404 }) : route.continue()));
      await goTo(page, 'Campaigns');
      expect(refused).toBeGreaterThan(1);
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'say that a page cannot be loaded, and offer a reload',
    async () => {
      const page = await signedInPage(browser, service, (await newUser(service, acme.organizationId, 'viewer')).email);
      let refused = 0;
      await page.route(SCRIPTS, (route) => {
        refused++;
        return route.fulfill({ status: 404 });
      });
      await page.getByRole('navigation').getByRole('link', { name: 'Campaigns' }).click();
      const failure = page.getByRole('alert').filter({ hasText: 'This page could not be loaded' });
      await failure.waitFor();
      expect(refused).toBe(2);
      await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor();
      await page.goBack();
      await failure.waitFor();
      await page.unroute(SCRIPTS);
      await failure.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'stay while the connection is interrupted, and load a page once it is back',
    async () => {
      const page = await signedInPage(browser, service, (await newUser(service, acme.organizationId, 'viewer')).email);
      await page.context().setOffline(true);
      await page.getByRole('navigation').getByRole('link', { name: 'Campaigns' }).click();
      const failure = page.getByRole('alert').filter({ hasText: 'This page could not be loaded' });
      await failure.waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await page.goBack();
      await page.context().setOffline(false);
      await failure.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

import type { Route } from 'playwright-core';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { JOURNEY_MS, signedInPage, STEP_MS } from './dashboard-page.js';
import { journeys, startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const SOON = { timeout: STEP_MS / 3 };
const REFUSAL = { status: 400, json: { error: 'The test refuses this' } };

let started: DashboardOfUser;

journeys('a part of a page that cannot be read', () => {
  beforeAll(async () => void (started = await startDashboardOf('member')), JOURNEY_MS);
  afterAll(() => started?.stop());

  it(
    'is not taken for a contact that is not suppressed',
    async () => {
      const { service, organization, browser, email } = started;
      await organization.post('/api/suppressions', { address: 'tim@example.com', note: 'Asked by phone' });
      const page = await signedInPage(browser, service, email);
      let respond = (route: Route): Promise<void> => route.fulfill(REFUSAL);
      await page.route('**/api/suppressions/*', (route) => respond(route));
      await page.goto(`${service.address}/contacts/tim%40example.com`);
      const alert = page.getByRole('alert');
      await alert.getByText('The test refuses this').waitFor(SOON);
      // Also while it is read again.
      let go = (): void => undefined;
      const held = new Promise<void>((resolve) => (go = resolve));
      const second = new Promise<void>((resolve) => {
        respond = (route) => (resolve(), held.then(() => route.continue()));
      });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await second;
      expect(await alert.getByText('The test refuses this').count()).toBe(1);
      go();
      await page.getByText('manual, Asked by phone').waitFor(SOON);
      await alert.waitFor({ state: 'detached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );

  it(
    'is not taken for a draft without recipients',
    async () => {
      const { service, organization, browser, email } = started;
      const broadcasts = new BroadcastClient(organization);
      const id = await broadcasts.create();
      await broadcasts.add(id, people(2));
      const page = await signedInPage(browser, service, email);
      const recipients = `**/api/broadcasts/${id}/recipients?limit=20`;
      await page.route(recipients, (route) => route.fulfill(REFUSAL));
      await page.goto(`${service.address}/broadcasts/${id}`);
      const alert = page.getByRole('alert');
      await alert.getByText('The test refuses this').waitFor(SOON);
      expect(await page.getByText('nobody yet').count()).toBe(0);
      await page.unroute(recipients);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('option', { name: people(1)[0]!.to }).waitFor({ ...SOON, state: 'attached' });
      await page.context().close();
    },
    JOURNEY_MS,
  );
});

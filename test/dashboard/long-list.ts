import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { newUser } from '../support/people.js';
import type { TestClient, TestService } from '../support/service.js';
import { STEP_MS } from './dashboard-page.js';

/** Requests of the first page of the list Suppressions, and of further ones. */
export const FIRST_PAGE = /\/api\/suppressions\?(?!.*cursor=)/;
export const FURTHER_PAGE = /\/api\/suppressions\?.*cursor=/;

interface LongList {
  readonly organization: TestClient;
  /** The address of a user. */
  readonly email: string;
}

/** An organization with more than two pages of suppressed addresses. */
export async function newLongList(service: TestService): Promise<LongList> {
  const organization = await service.organization('pro', 'Long list');
  const addresses = Array.from({ length: 120 }, (_, place) => `gone${place}@example.com`);
  await organization.post('/api/suppressions', { addresses });
  return { organization, email: (await newUser(service, organization.organizationId, 'viewer')).email };
}

export function rowsOfLongList(page: Page): Locator {
  return page.getByRole('table', { name: 'Suppressions' }).locator('tr.row');
}

export async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate('scrollTo({ top: document.body.scrollHeight })');
}

/** Shows the second page of the list, too. */
export async function showSecond(page: Page): Promise<void> {
  const rows = rowsOfLongList(page);
  await rows.first().waitFor();
  await scrollToEnd(page);
  await eventually(async () => (await rows.count()) === 100, STEP_MS);
  await page.evaluate('scrollTo({ top: 0 })');
}

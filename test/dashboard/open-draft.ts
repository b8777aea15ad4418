import type { Page } from 'playwright-core';
import { signedInPage } from './dashboard-page.js';
import type { DashboardOfUser } from './start-dashboard.js';

const DRAFT = {
  ...{ name: 'Spring sale', from: 'ada@acme.example' },
  ...{ subject: 'Welcome', htmlContent: '<p>Welcome</p>' },
};

/** Creates a draft of a broadcast and opens its page. @returns also the path of the draft in the API */
export async function openDraft(dashboard: DashboardOfUser): Promise<{ page: Page; path: string }> {
  const { service, organization, browser, email } = dashboard;
  const { id } = (await organization.post<{ id: string }>('/api/broadcasts', DRAFT)).body;
  const page = await signedInPage(browser, service, email);
  await page.goto(`${service.address}/broadcasts/${id}`);
  await page.getByLabel('HTML or MJML').waitFor();
  return { page, path: `/api/broadcasts/${id}` };
}

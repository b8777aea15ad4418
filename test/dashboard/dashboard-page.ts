import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { PASSWORD } from '../support/people.js';
import type { TestService } from '../support/service.js';

/** Timeout of one journey, which starts a browser and a service on a machine that may be busy. */
export const JOURNEY_MS = 400_000;
/** Timeout of one step. */
export const STEP_MS = 90_000;

/** A page of the dashboard in a browser that has no session yet. */
export async function openDashboard(browser: Browser, service: TestService, path = '/'): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  await page.goto(service.address + path);
  return page;
}

/** Fills in the sign-in form and submits it. */
export async function fillSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A page of a signed-in user. */
export async function signedInPage(browser: Browser, service: TestService, email: string): Promise<Page> {
  const page = await openDashboard(browser, service);
  await fillSignIn(page, email);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  return page;
}

/** Opens a page by the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Waits until the tab has the title of the page, which gets it in the frame after its heading. */
export function isTitled(page: Page, title: string): Promise<boolean> {
  return eventually(async () => (await page.title()) === `${title} · Mailbeacon`);
}

/** Closes a page whose routes fetch responses: a response on its way to a closed page would fail the test. */
export async function closeRouted(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

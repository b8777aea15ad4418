import type { Browser, Page } from 'playwright-core';
import type { TestService } from '../support/service.js';
import { fillSignIn, openDashboard } from './dashboard-page.js';

/** Live changes come from the test instead of the service. */
const HOLD_LIVE = `
  const { fetch } = globalThis;
  let stream, connect;
  const connected = new Promise((resolve) => void (connect = resolve));
  globalThis.report = async (...types) => {
    await connected;
    for (const type of types)
      stream.enqueue(new TextEncoder().encode('data: ' + JSON.stringify({ type, at: new Date().toISOString() }) + '\\n\\n'));
  };
  globalThis.fetch = (url, options) => {
    if (!String(url).endsWith('/api/live')) return fetch(url, options);
    const body = new ReadableStream({ start: (controller) => void (stream = controller) });
    connect();
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };`;

/** A page of a signed-in user whose live changes are those that are reported to it. */
export async function livePage(browser: Browser, service: TestService, email: string): Promise<Page> {
  const page = await openDashboard(browser, service);
  await page.addInitScript(HOLD_LIVE);
  await page.reload();
  await fillSignIn(page, email);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await report(page, 'ready');
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

export function report(page: Page, ...types: string[]): Promise<unknown> {
  return page.evaluate(`report(${types.map((type) => JSON.stringify(type)).join()})`);
}

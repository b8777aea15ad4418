import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { STEP_MS } from './dashboard-page.js';

/** Runs in the page. */
function isFocused(element: unknown): boolean {
  return (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement === element;
}

/** Waits until the element has the focus. */
export function hasFocus(element: Locator): Promise<boolean> {
  return eventually(() => element.evaluate(isFocused), STEP_MS);
}

/** Presses Tab until the element has the focus, as a reader does. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 60; presses++) {
    if (await element.evaluate(isFocused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${element.toString()}`);
}

/** Presses the key until the element has the focus, because a busy page may not handle it at first. */
export function pressUntil(page: Page, key: string, element: Locator): Promise<boolean> {
  return eventually(async () => {
    await page.keyboard.press(key);
    return element.evaluate(isFocused);
  }, STEP_MS);
}

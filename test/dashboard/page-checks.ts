import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { STEP_MS } from './dashboard-page.js';
import { FIND_FAINT } from './faint-fields.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FIND = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .map(({ id, nodes }) => id + ': ' + nodes[0].html))`;

/** Tables that can only be read by scrolling sideways. */
const FIND_WIDE = `[...document.querySelectorAll('main .scroll')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((table) => table.getAttribute('aria-label') + ' is ' + table.scrollWidth + ' pixels wide in ' + table.clientWidth)`;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
/** Tablets, and windows side by side. */
const BETWEEN = [1024, 768];
const FITTING_MS = 5_000;

/** Errors that a busy machine can cause: the page repeats its request. */
const PASSING = /^Failed to load resource: .*(net::ERR_|status of (429|5\d\d))/;

/** Errors and warnings in the console of a page, from now on. */
export function watchConsole(page: Page): string[] {
  const seen: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !PASSING.test(message.text())) seen.push(message.text());
  });
  page.on('pageerror', (error) => void seen.push(String(error)));
  return seen;
}

/** Waits until the page shows this and nothing is still loading. Repeats requests that failed on a busy machine. */
export async function complete(page: Page, shown: string): Promise<void> {
  const retry = page.locator('main [role=alert]').getByRole('button', { name: 'Try again' }).first();
  await eventually(async () => {
    // It can disappear by itself in the meantime.
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 }).catch(() => undefined);
    const unfinished = await page.locator('main .skeleton, main [role=alert]').count();
    return unfinished === 0 && (await page.locator(`main ${shown}`).count()) > 0;
  }, STEP_MS);
}

/** The problems of the open page, on a wide screen in light colors and on a small one in dark colors. */
export async function problemsOf(page: Page): Promise<string[]> {
  const problems: string[] = [];
  // The test may add a script, which the policy of the page forbids to all others.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  for (const [viewport, colorScheme] of [
    [WIDE, 'light'],
    [PHONE, 'dark'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    problems.push(...(await tooWide(page)));
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (width > viewport.width) problems.push(`is ${width} pixels wide on a screen of ${viewport.width}`);
    for (const find of [FIND_FAINT, FIND]) problems.push(...((await page.evaluate(find)) as string[]));
  }
  for (const width of BETWEEN) {
    await page.setViewportSize({ ...WIDE, width });
    problems.push(...(await tooWide(page)).map((problem) => `${problem} at ${width}`));
  }
  await page.setViewportSize(WIDE);
  return problems;
}

/** Tables that stay too wide: the page fits them to a new width in its next frames. */
async function tooWide(page: Page): Promise<string[]> {
  let found: string[] = [];
  const fits = async (): Promise<boolean> => {
    found = (await page.evaluate(FIND_WIDE)) as string[];
    return found.length === 0;
  };
  await eventually(fits, FITTING_MS).catch(() => undefined);
  return found;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { findChromium, openChromium } from './chromium.js';
import { openDashboard, signedInPage } from './dashboard-page.js';
import { complete } from './page-checks.js';
import { PAGES } from './seeded-pages.js';
import { startSeededService, type SeededService } from './seeded-service.js';

/** `npm run screenshots` takes a picture of every page on seeded data. PAGES=broadcasts,domain takes only those. */
const FOLDER = process.env.SCREENSHOTS_FOLDER ?? 'docs/images';
const CHOSEN = process.env.PAGES?.split(',');
const SIZES = [
  ['wide', { width: 1280, height: 860 }],
  ['small', { width: 360, height: 740 }],
] as const;
/** A broadcast is shown once it has sent as many. */
const SENT_BEFORE = 120;
const QUALITY = 0.82;

let seeded: SeededService;
let browser: Browser;

beforeAll(async () => {
  seeded = await startSeededService();
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('Set CHROMIUM_PATH to a Chromium');
  browser = await openChromium(chromium);
  mkdirSync(FOLDER, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await seeded?.stop();
});

/** In all sizes and colors. */
async function picture(page: Page, name: string, converter: Page): Promise<void> {
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      const webp = await converter.evaluate(`(async () => {
        const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext('2d').drawImage(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} });
        return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
      })()`);
      writeFileSync(join(FOLDER, `${name}-${size}-${colorScheme}.webp`), Buffer.from(String(webp), 'base64'));
      if (process.env.PNG) writeFileSync(join(FOLDER, `${name}-${size}-${colorScheme}.png`), png);
    }
  }
}

it('takes a picture of every page', async () => {
  const { service, organization, owner, ids } = seeded;
  const converter = await browser.newPage();
  if (!CHOSEN || CHOSEN.includes('sign-in')) {
    const signedOut = await openDashboard(browser, service);
    await signedOut.getByRole('button', { name: 'Sign in' }).waitFor();
    await picture(signedOut, 'sign-in', converter);
    await signedOut.context().close();
  }
  const page = await signedInPage(browser, service, owner);
  const sending = new Set(['broadcasts', 'broadcast']);
  for (const [name, pathOf, shown] of PAGES.filter(([name]) => !CHOSEN || CHOSEN.includes(name))) {
    if (sending.has(name)) {
      await organization.post(`/api/broadcasts/${ids.broadcast}/send`);
      await eventually(async () => {
        const { body } = await organization.get<{ progress: { sent: number } }>(`/api/broadcasts/${ids.broadcast}`);
        return body.progress.sent >= SENT_BEFORE;
      }, 120_000);
    }
    await page.goto(service.address + pathOf(ids));
    await complete(page, shown);
    await picture(page, name, converter);
  }
}, 600_000);

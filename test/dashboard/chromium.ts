import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The headless shell has no windows, and takes two thirds of the processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What each window would load although no test uses it: more than half of the browser's processor time. */
const UNUSED_FEATURES = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

/** Chromium obeys only the last list of features, so this one repeats what Playwright switches off by default. */
const FEATURES_OFF_BY_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** The browser of this machine: CHROMIUM_PATH, or the first that PATH has. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.CHROMIUM_PATH, ...places].find((path) => path !== undefined && isProgram(path));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Without Chromium's sandbox, which root may not use; it only opens pages of the test. */
export function openChromium(path: string): Promise<Browser> {
  const features = [...UNUSED_FEATURES, ...FEATURES_OFF_BY_PLAYWRIGHT];
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', `--disable-features=${features.join(',')}`] });
}

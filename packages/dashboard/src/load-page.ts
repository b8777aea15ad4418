import type { FunctionComponent } from 'preact';
import { lazy } from 'preact/compat';

/** The script of a page is not there. */
export class PageLoadError extends Error {
  override readonly name = 'PageLoadError';
}

/** The version of the dashboard that this tab last reloaded. */
const KEY = 'reloaded';

/**
 * A page whose script is loaded when it is opened. After an upgrade, the scripts of the version in this tab are gone: a
 * reload gets the new version. It is tried once for each version, so that a script that stays away causes no loop, and
 * only while the service responds: without a connection, a page of the browser would replace the dashboard.
 */
export function loadPage(load: () => Promise<{ readonly default: FunctionComponent }>) {
  return lazy(() => load().catch(reloadOnce));
}

async function reloadOnce(cause: unknown): Promise<never> {
  // The name of this script has a hash of its content.
  const version = import.meta.url;
  if (sessionStorage.getItem(KEY) === version || !(await serviceResponds()))
    throw new PageLoadError('The script of the page is missing', { cause });
  sessionStorage.setItem(KEY, version);
  location.reload();
  return new Promise<never>(() => undefined);
}

function serviceResponds(): Promise<boolean> {
  return fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

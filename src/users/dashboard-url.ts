import type { RunSettings } from '../platform/config/settings.js';

/** Where people sign in, without a slash at the end. */
export function dashboardUrl({ DASHBOARD_URL, BASE_URL }: Pick<RunSettings, 'DASHBOARD_URL' | 'BASE_URL'>): string {
  return DASHBOARD_URL ?? BASE_URL;
}

/** The token is in the fragment, which no server, log or Referer header gets. */
export function signInLink(dashboard: string, token: string): string {
  return `${dashboard}/sign-in#token=${token}`;
}

export function passwordLink(dashboard: string, token: string): string {
  return `${dashboard}/set-password#token=${token}`;
}

import type { Browser } from 'playwright-core';
import type { UserRole } from '../../src/users/user-roles.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { findChromium, openChromium } from './chromium.js';

const chromium = findChromium();

/** `describe` for tests in a browser; skips them where this machine has none. */
export const journeys = chromium === undefined ? describe.skip : describe;

export interface StartedDashboard {
  readonly service: TestService;
  readonly organization: TestClient;
  readonly browser: Browser;
  stop(): Promise<void>;
}

/** Starts a service with one organization, and a browser. */
export async function startDashboard(environment: Record<string, string> = {}): Promise<StartedDashboard> {
  const service = await TestService.start({ environment });
  try {
    const organization = await service.organization('pro', 'Acme');
    const browser = await openChromium(chromium!);
    const stop = async (): Promise<void> => {
      await browser.close();
      await service.stop();
    };
    return { service, organization, browser, stop };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

export interface DashboardOfUser extends StartedDashboard {
  /** The address of the user. */
  readonly email: string;
}

/** The same with a user of the organization. */
export async function startDashboardOf(role: UserRole, environment?: Record<string, string>): Promise<DashboardOfUser> {
  const started = await startDashboard(environment);
  const { email } = await newUser(started.service, started.organization.organizationId, role);
  return { ...started, email };
}

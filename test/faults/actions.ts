import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import type { Testbed } from './testbed/testbed.js';
import type { DependencyProxies, ServiceProcess } from './testbed/service-process.js';

/** What scenarios do to the testbed. */

export async function kill(services: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(services.map((service) => service.kill()));
}

export async function start(services: readonly ServiceProcess[], more: Record<string, string> = {}): Promise<void> {
  await Promise.all(services.map((service) => service.start(more)));
}

export function hold(services: readonly ServiceProcess[], dependency: keyof DependencyProxies): void {
  for (const { proxies } of services) proxies[dependency].hold();
}

export function release(services: readonly ServiceProcess[], dependency: keyof DependencyProxies): void {
  for (const { proxies } of services) proxies[dependency].release();
}

export async function disconnect(
  services: readonly ServiceProcess[],
  dependency: keyof DependencyProxies,
): Promise<void> {
  await Promise.all(services.map(({ proxies }) => proxies[dependency].goDown()));
}

export async function reconnect(
  services: readonly ServiceProcess[],
  dependency: keyof DependencyProxies,
): Promise<void> {
  await Promise.all(services.map(({ proxies }) => proxies[dependency].comeUp()));
}

/** The duration of a fault. Scenarios wait by the clock for nothing else. */
export function waitSeconds(seconds: number): Promise<void> {
  return delay(seconds * 1_000);
}

/** Resolves with the id of the email that was sent under the key, once it is stored. */
export async function isStored(testbed: Testbed, key: string): Promise<string> {
  return find(testbed, key, 'true');
}

/** Resolves with the id of the email that was sent under the key, once a worker has claimed it. */
export async function isClaimed(testbed: Testbed, key: string): Promise<string> {
  return find(testbed, key, 'p.lease_token is not null');
}

function find(testbed: Testbed, key: string, condition: string): Promise<string> {
  return eventually(async () => {
    const [row] = await testbed.database.query<{ id: string }>(
      `select e.id from emails e join email_contents c on c.email_id = e.id left join pending_emails p on p.email_id = e.id
        where c.metadata ->> 'sendKey' = $1 and ${condition}`,
      [key],
    );
    return row?.id;
  }, 30_000);
}

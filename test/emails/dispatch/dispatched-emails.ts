import { randomUUID } from 'node:crypto';
import type { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { Database } from '../../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';

/** Stores emails of a new organization and marks them as dispatched, without a job. Resolves with their IDs. */
export async function dispatchEmails(database: Database, count: number): Promise<string[]> {
  await insertBacklog(database, await insertOrganization(database), count);
  const window = new DispatchWindow(database);
  return (await window.feed(count, await window.epoch())).fed.map(({ emailId }) => emailId);
}

export function leaseOn(emailId: string, isOfBroadcast = false): Lease {
  return { emailId, token: randomUUID(), isOfBroadcast };
}

/** Stores an email of a new organization that a worker has claimed. */
export async function claimEmail(database: Database, state: DeliveryState): Promise<Lease> {
  const [emailId] = await dispatchEmails(database, 1);
  const lease = leaseOn(emailId!);
  await state.claim(lease, 0);
  return lease;
}

import { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { Database } from '../../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';

/** Stores emails of a new organization and marks them as dispatched, without a job. Resolves with their IDs. */
export async function dispatchEmails(database: Database, count: number): Promise<string[]> {
  await insertBacklog(database, await insertOrganization(database), count);
  const window = new DispatchWindow(database);
  return (await window.feed(count, await window.epoch())).fed.map(({ emailId }) => emailId);
}

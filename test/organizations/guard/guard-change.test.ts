import { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import { resumeSending, suspendOrganization } from '../../../src/organizations/guard/guard-change.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('resumed sending dispatches again at once what was dispatched before: jobs that ran during the pause have ended', async () => {
  const { database } = open;
  const organization = await insertOrganization(database);
  await insertBacklog(database, organization, 1);
  const window = new DispatchWindow(database);
  const feed = async () => (await window.feed(10, await window.epoch())).fed.map(({ generation }) => generation);
  expect(await feed()).toEqual([0]);
  await suspendOrganization(database, organization, 'spam');
  expect(await feed()).toEqual([]);
  expect(await resumeSending(database, organization)).toBe(true);
  expect(await feed()).toEqual([1]);
});

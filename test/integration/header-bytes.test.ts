import { randomBytes } from 'node:crypto';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { StorageMeasurements } from '../../src/organizations/budgets/measure-storage.js';
import { draft } from '../support/broadcast-client.js';
import { TestService } from '../support/service.js';

/** More than names and punctuation take. */
const REST = 1_000;
const HEADERS = 20 * 900;
const subject = 'S'.repeat(900);
/** Random, because Postgres compresses text. */
const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${n}`, randomBytes(450).toString('hex')]));
const email = { from: 'a@acme.example', to: 'ada@example.com', subject, htmlContent: '<p>x</p>' };

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(() => service?.stop());

it('subjects and headers count among the stored bytes, because an email can have many kilobytes of them', async () => {
  const client = await service.organization();
  const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.storedBytes.used;
  const expectBytes = async (path: string, body: object, least: number) => {
    const before = await used();
    expect((await client.post(path, body, { prefer: 'respond-async' })).status).toBeLessThan(300);
    expect((await used()) - before).toBeGreaterThanOrEqual(least);
    expect((await used()) - before).toBeLessThan(least + REST);
  };
  await expectBytes('/api/send', { ...email, headers }, HEADERS + subject.length);
  await expectBytes('/api/send/batch', { emails: [{ ...email, headers }] }, HEADERS + subject.length);
  await expectBytes('/api/broadcasts', { ...draft, subject, headers }, HEADERS + subject.length);
  const template = { name: 'T', subject, htmlContent: email.htmlContent };
  await expectBytes('/api/templates', template, subject.length);

  const taken = await used();
  await service.database.query('update budget_usage set measured_at = null');
  await new StorageMeasurements(service.database).run(new AbortController().signal);
  expect(Math.abs((await used()) - taken)).toBeLessThan(REST);
});

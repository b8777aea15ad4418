import { pino } from 'pino';
import { ErasureSteps } from '../../src/contacts/erasure/erasure-steps.js';
import { eventually } from './eventually.js';
import type { TestClient, TestService } from './service.js';

/** Erases the person where no worker runs: the request works for two seconds, and the steps of a worker do the rest. */
export async function eraseWithoutWorker(service: TestService, client: TestClient, address: string): Promise<void> {
  const { status } = await client.delete(`/api/contacts/${encodeURIComponent(address)}`);
  expect([202, 204]).toContain(status);
  const steps = new ErasureSteps(service.database, { count: () => undefined } as never, pino({ level: 'silent' }));
  await eventually(async () => (await steps.next()) === Infinity);
}

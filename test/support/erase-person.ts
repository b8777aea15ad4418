import { eventually } from './eventually.js';
import type { TestClient } from './service.js';

/** Waits until the person is erased: the request works for two seconds, and the worker of the service does the rest. */
export async function erasePerson(client: TestClient, address: string): Promise<void> {
  await eventually(async () => {
    const { status } = await client.delete(`/api/contacts/${encodeURIComponent(address)}`);
    if (![202, 204, 404].includes(status)) throw new Error(`An erasure got ${status}`);
    return status !== 202;
  });
}

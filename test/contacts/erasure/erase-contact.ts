import type { TestClient } from '../../support/service.js';

/** Repeats the request, because each continues where the previous one stopped. */
export async function eraseContact(client: TestClient, address: string): Promise<void> {
  const { status } = await client.delete(`/api/contacts/${address}`);
  if (status === 202) return eraseContact(client, address);
  expect([204, 404]).toContain(status);
}

import type { TestClient, TestService } from './service.js';

/** Opens a live connection. Live events have no end: the first bytes show that the connection is open. */
export async function followLive({ apiKey }: TestClient, { address }: TestService): Promise<void> {
  const closing = new AbortController();
  const response = await fetch(`${address}/api/live`, { headers: { 'x-api-key': apiKey }, signal: closing.signal });
  expect(response.status).toBe(200);
  closing.abort();
}

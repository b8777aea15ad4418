import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import type { ApiResponse, TestClient, TestService } from './service.js';

/** Sends and tracks with an `Idempotency-Key`. */
export class IdempotentClient {
  constructor(private readonly client: TestClient) {}

  send(key: string, body: object, headers: Record<string, string> = {}): Promise<ApiResponse<SendResponse>> {
    return this.client.post('/api/send', body, { 'idempotency-key': key, ...headers });
  }

  track(key: string, body: object): Promise<ApiResponse<TrackResponse>> {
    return this.client.post('/api/emails', body, { 'idempotency-key': key });
  }
}

let keysUsed = 0;

/** A key and an address that no other test of the file uses. */
export function fresh(): { key: string; to: string } {
  keysUsed += 1;
  return { key: `key-${keysUsed}`, to: `reader-${keysUsed}@example.com` };
}

export function isReplay({ headers }: ApiResponse<unknown>): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

/** Statuses and bodies, for comparison. */
export function statusesAndBodies(...responses: ApiResponse<unknown>[]): unknown[] {
  return responses.map(({ status, body }) => ({ status, body }));
}

export async function storedEmailsTo({ database }: TestService, address: string): Promise<number> {
  const [row] = await database.query<{ n: string }>(
    'select count(*) as n from email_contents where $1 = any(to_addresses)',
    [address],
  );
  return Number(row!.n);
}

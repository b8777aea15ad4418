import { eventually } from './eventually.js';
import type { TestClient } from './service.js';

interface Recipient {
  readonly address: string;
  readonly state: string;
}

/** The states of an email's recipients by address, once `reported` of them are no longer just sent. */
export function recipientStates(
  client: TestClient,
  trackingId: string | undefined,
  reported: number,
): Promise<Record<string, string>> {
  return eventually(async () => {
    const { body } = await client.get<{ recipients: Recipient[] }>(`/api/emails/${trackingId}`);
    const states = body.recipients.map(({ address, state }) => [address.toLowerCase(), state] as const);
    return states.filter(([, state]) => state !== 'sent').length === reported && Object.fromEntries(states);
  });
}

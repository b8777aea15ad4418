import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from './eventually.js';
import type { TestClient } from './service.js';

/** Resolves once the email was tried more often than this, or has failed, and no worker holds it. */
export function triedMoreThan(client: TestClient, attempts: number, id: string): Promise<EmailDetail> {
  return eventually(async () => {
    const { body } = await client.get<EmailDetail>(`/api/emails/${id}`);
    return (body.attempts > attempts || body.status === 'failed') && body.status !== 'sending' && body;
  });
}

import type { TestClient } from '../../support/service.js';

/** How many emails the organization has, up to one page. */
export async function countEmails(client: TestClient): Promise<number> {
  const { body } = await client.get<{ emails: unknown[] }>('/api/emails');
  return body.emails.length;
}

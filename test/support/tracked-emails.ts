import type { TrackResponse } from '../../src/emails/accept/track-response.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { TestClient } from './service.js';

export const emailToTrack = {
  to: 'reader@example.com',
  subject: 'The engine',
  htmlContent: '<body><a href="https://example.com/a">a</a><a href="https://example.com/b">b</a></body>',
};

/** Sends `emailToTrack`, with these fields instead of its own, to `POST /api/emails`. */
export async function trackEmail(client: TestClient, fields: object = {}): Promise<TrackResponse> {
  const { status, body } = await client.post<TrackResponse>('/api/emails', { ...emailToTrack, ...fields });
  expect(status).toBe(200);
  return body;
}

/** The emails of the first page. */
export async function listEmails(client: TestClient, query = ''): Promise<EmailSummary[]> {
  return (await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`)).body.emails;
}

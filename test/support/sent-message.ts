import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from './eventually.js';
import type { TestClient } from './service.js';

/** The stub of a provider. */
interface Outbox<Message> {
  readonly messages: readonly Message[];
}

interface SentMessage<Message> {
  readonly response: SendResponse;
  /** What the provider accepted for this email: its latest message may be that of another one. */
  readonly message: Message;
}

/** Sends an email, and waits for its delivery, which may take longer than the response: that one may be 202. */
export async function sendMessage<Message extends { readonly emailId: string }>(
  client: TestClient,
  provider: Outbox<Message>,
  email: object,
  headers: Record<string, string> = {},
): Promise<SentMessage<Message>> {
  const { status, body: response } = await client.post<SendResponse>('/api/send', email, headers);
  expect({ isAccepted: status === 200 || status === 202, response }).toMatchObject({ isAccepted: true });
  const path = `/api/emails/${response.emailTrackingId}`;
  const id = await eventually(async () => {
    const { body } = await client.get<EmailDetail>(path);
    return body.status === 'sent' && body.id;
  });
  return { response, message: provider.messages.find(({ emailId }) => emailId === id)! };
}

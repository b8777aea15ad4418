import { createTransport, type SendMailOptions } from 'nodemailer';
import type { TestClient, TestService } from './service.js';

/** The reply to a message. */
export interface SubmissionReply {
  readonly code: number;
  readonly text: string;
  /** Recipients that were refused, with their replies. */
  readonly rejected: readonly { readonly recipient: string; readonly reply: string }[];
}

/** A mail program of an organization, which sends with an API key as password. */
export class SubmissionClient {
  constructor(
    private readonly service: Pick<TestService, 'settings'>,
    private readonly owner: Pick<TestClient, 'apiKey'>,
  ) {}

  /** Sends over a new connection. */
  async send(message: SendMailOptions): Promise<SubmissionReply> {
    const transport = createTransport({
      host: '127.0.0.1',
      port: this.service.settings.SUBMISSION_PORT!,
      auth: { user: 'anything', pass: this.owner.apiKey },
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    });
    try {
      const { response, rejectedErrors = [] } = await transport.sendMail(message);
      const rejected = rejectedErrors.map(({ recipient = '', response: reply = '' }) => ({ recipient, reply }));
      return { code: Number(response.slice(0, 3)), text: response, rejected };
    } catch (error) {
      const { responseCode = 0, response = String(error) } = error as { responseCode?: number; response?: string };
      return { code: responseCode, text: response, rejected: [] };
    } finally {
      transport.close();
    }
  }
}

import type { IncomingMessage } from 'node:http';
import { ProviderStub } from './provider-stub.js';
import { accepts, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';

export interface PostmarkBody {
  readonly From: string;
  readonly ReplyTo?: string;
  readonly To: string;
  readonly Cc?: string;
  readonly Bcc?: string;
  readonly Subject: string;
  readonly TextBody?: string;
  readonly HtmlBody?: string;
  readonly Headers: readonly { readonly Name: string; readonly Value: string }[];
  readonly Metadata: Readonly<Record<string, string>>;
  readonly MessageStream?: string;
  readonly TrackOpens: boolean;
  readonly TrackLinks: string;
  readonly Attachments?: readonly {
    readonly Name: string;
    readonly Content: string;
    readonly ContentType: string;
    readonly ContentID?: string;
  }[];
}

/** A complete request, accepted or not. A batch has several messages. */
export interface PostmarkRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly messages: readonly PostmarkBody[];
  readonly accepted: boolean;
}

const BATCH = '/email/batch';

/** Responds to POST /email and /email/batch as Postmark does, or as scripted per email ID. Records every request. */
export class PostmarkStub extends ProviderStub<PostmarkRequest> {
  /** When set, the stub responds with 401 to any other token. */
  serverToken: string | undefined;

  static listen(): Promise<PostmarkStub> {
    return new PostmarkStub().listen();
  }

  /** The messages of accepted requests. */
  get messages(): readonly (PostmarkBody & { readonly emailId: string })[] {
    const accepted = this.acceptedRequests.flatMap(({ messages }) => messages);
    return accepted.map((body) => ({ ...body, emailId: emailIdOf(body) }));
  }

  protected receive(request: IncomingMessage, bytes: Buffer): ScriptedStep {
    const body = JSON.parse(bytes.toString()) as PostmarkBody | PostmarkBody[];
    const messages = Array.isArray(body) ? body : [body];
    const step = this.scripts.take(messages.slice(0, 1).map(emailIdOf)) ?? this.usualResponse(request, messages);
    const { headers, url: path = '' } = request;
    this.requests.push({ path, headers, messages, accepted: accepts(step) });
    return step;
  }

  private usualResponse({ headers, url }: IncomingMessage, messages: readonly PostmarkBody[]): ScriptedResponse {
    const { serverToken } = this;
    if (serverToken !== undefined && headers['x-postmark-server-token'] !== serverToken) {
      return postmarkError(401, 10, 'Request does not contain a valid Server token.');
    }
    const results = messages.map(({ To }, index) => ({
      ...{ To, SubmittedAt: '2026-03-04T05:06:07.1234567Z', ErrorCode: 0, Message: 'OK' },
      MessageID: `pm-${this.requests.length + 1}-${index}`,
    }));
    return { status: 200, body: url === BATCH ? results : results[0] };
  }
}

function emailIdOf({ Metadata }: PostmarkBody): string {
  return Metadata['mailbeacon_email_id'] ?? '';
}

/** An error response in the format of the API. */
export function postmarkError(status: number, code: number, message: string): ScriptedResponse {
  return { status, body: { ErrorCode: code, Message: message } };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { accepts, perform, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';
import { Scripts } from './scripts.js';
import { StubServer } from './stub-server.js';

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
export class PostmarkStub {
  readonly scripts = new Scripts<ScriptedStep>();
  readonly requests: PostmarkRequest[] = [];
  /** When set, the stub responds with 401 to any other token. */
  serverToken: string | undefined;
  private readonly server = new StubServer((request, response) => void this.serve(request, response));

  private constructor() {}

  static async listen(): Promise<PostmarkStub> {
    const stub = new PostmarkStub();
    await stub.server.listen();
    return stub;
  }

  get url(): string {
    return this.server.url;
  }

  /** The messages of accepted requests. */
  get messages(): readonly PostmarkBody[] {
    return this.requests.filter(({ accepted }) => accepted).flatMap(({ messages }) => messages);
  }

  get connectionsMade(): number {
    return this.server.connectionsMade;
  }

  get openConnections(): number {
    return this.server.openConnections;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.scripts.take([], (step) => 'fault' in step && step.fault === 'reset-before-body')) {
      request.socket.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as PostmarkBody | PostmarkBody[];
    const messages = Array.isArray(body) ? body : [body];
    const emailId = messages[0]?.Metadata['mailbeacon_email_id'] ?? '';
    const step = this.scripts.take([emailId]) ?? this.usualResponse(request, messages);
    const { headers, url: path = '' } = request;
    this.requests.push({ path, headers, messages, accepted: accepts(step) });
    await perform(step, response);
  }

  private usualResponse({ headers, url }: IncomingMessage, messages: readonly PostmarkBody[]): ScriptedResponse {
    const { serverToken } = this;
    if (serverToken !== undefined && headers['x-postmark-server-token'] !== serverToken) {
      return postmarkError(401, 10, 'Request does not contain a valid Server token.');
    }
    const answers = messages.map(({ To }, index) => ({
      ...{ To, SubmittedAt: '2026-03-04T05:06:07.1234567Z', ErrorCode: 0, Message: 'OK' },
      MessageID: `pm-${this.requests.length + 1}-${index}`,
    }));
    return { status: 200, body: url === BATCH ? answers : answers[0] };
  }
}

/** An error response in the format of the API. */
export function postmarkError(status: number, code: number, message: string): ScriptedResponse {
  return { status, body: { ErrorCode: code, Message: message } };
}

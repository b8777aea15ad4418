import type { IncomingMessage, ServerResponse } from 'node:http';
import { accepts, perform, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';
import { Scripts } from './scripts.js';
import { StubServer } from './stub-server.js';

/** A complete request, accepted or not. */
export interface MailgunRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The text fields of the form, by name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The recipients of the envelope. */
  readonly recipients: readonly string[];
  /** The message as it was uploaded. */
  readonly content: Buffer;
  readonly accepted: boolean;
}

/** Responds to POST /v3/{domain}/messages.mime as Mailgun does, or as scripted per email ID. Records every request. */
export class MailgunStub {
  readonly scripts = new Scripts<ScriptedStep>();
  readonly requests: MailgunRequest[] = [];
  /** When set, the stub responds with 401 to any other key. */
  apiKey: string | undefined;
  private readonly server = new StubServer((request, response) => void this.serve(request, response));

  private constructor() {}

  static async listen(): Promise<MailgunStub> {
    const stub = new MailgunStub();
    await stub.server.listen();
    return stub;
  }

  get url(): string {
    return this.server.url;
  }

  /** The accepted requests. */
  get messages(): readonly MailgunRequest[] {
    return this.requests.filter(({ accepted }) => accepted);
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
    const form = await formOf(request, Buffer.concat(chunks));
    const fields = new Map([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
    const file = form.get('message') as File;
    const step = this.scripts.take([fields.get('v:mailbeacon_email_id') ?? '']) ?? this.usualResponse(request);
    this.requests.push({
      path: request.url ?? '',
      headers: request.headers,
      fields,
      recipients: (fields.get('to') ?? '').split(','),
      content: Buffer.from(await file.arrayBuffer()),
      accepted: accepts(step),
    });
    await perform(step, response);
  }

  private usualResponse({ headers }: IncomingMessage): ScriptedResponse {
    const { apiKey } = this;
    const isForeign = apiKey !== undefined && headers.authorization !== `Basic ${btoa(`api:${apiKey}`)}`;
    if (isForeign) return { status: 401, body: 'Forbidden' };
    return { status: 200, body: { id: `<mg-${this.requests.length + 1}@mg.example>`, message: 'Queued. Thank you.' } };
  }
}

/** Read by the platform's own parser of forms. */
function formOf({ headers }: IncomingMessage, body: Buffer): Promise<FormData> {
  return new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}

/** An error response in the format of the API. */
export function mailgunError(status: number, message: string): ScriptedResponse {
  return { status, body: { message } };
}

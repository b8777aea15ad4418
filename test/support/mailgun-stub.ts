import type { IncomingMessage } from 'node:http';
import { ProviderStub } from './provider-stub.js';
import { accepts, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';

/** A complete request, accepted or not. */
export interface MailgunRequest {
  readonly emailId: string;
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
export class MailgunStub extends ProviderStub<MailgunRequest> {
  /** When set, the stub responds with 401 to any other key. */
  apiKey: string | undefined;

  static listen(): Promise<MailgunStub> {
    return new MailgunStub().listen();
  }

  /** The accepted requests. */
  get messages(): readonly MailgunRequest[] {
    return this.acceptedRequests;
  }

  protected override hasNoEmail(request: IncomingMessage, body: Buffer): boolean {
    const type = request.headers['content-type'];
    return type === 'application/x-www-form-urlencoded' && super.hasNoEmail(request, body);
  }

  protected async receive(request: IncomingMessage, body: Buffer): Promise<ScriptedStep> {
    const form = await formOf(request, body);
    const fields = new Map([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
    const file = form.get('message') as File;
    const emailId = fields.get('v:mailbeacon_email_id') ?? '';
    const step = this.scripts.take([emailId]) ?? this.usualResponse(request);
    this.requests.push({
      emailId,
      path: request.url ?? '',
      headers: request.headers,
      fields,
      recipients: (fields.get('to') ?? '').split(','),
      content: Buffer.from(await file.arrayBuffer()),
      accepted: accepts(step),
    });
    return step;
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

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accepts, perform, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';
import { Scripts } from './scripts.js';
import { StubServer } from './stub-server.js';

export interface SendEmailBody {
  readonly ConfigurationSetName?: string;
  readonly Destination: { readonly ToAddresses: readonly string[] };
  readonly EmailTags: readonly { readonly Name: string; readonly Value: string }[];
  readonly Content: { readonly Raw: { readonly Data: string } };
}

/** A complete request to SES, accepted or not. */
export interface SesRequest {
  readonly emailId: string;
  readonly body: SendEmailBody;
  /** The message, decoded. */
  readonly content: Buffer;
  /** SHA-256 of the body as it arrived, in hexadecimal. */
  readonly bodyHash: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly accepted: boolean;
}

/** Responds to POST /v2/email/outbound-emails as SES does, or as scripted per email ID. It records every request. */
export class SesStub {
  readonly scripts = new Scripts<ScriptedStep>();
  readonly requests: SesRequest[] = [];
  private readonly server = new StubServer((request, response) => void this.serve(request, response));

  static async listen(): Promise<SesStub> {
    const stub = new SesStub();
    await stub.server.listen();
    return stub;
  }

  get url(): string {
    return this.server.url;
  }

  get messages(): readonly SesRequest[] {
    return this.requests.filter(({ accepted }) => accepted);
  }

  get openConnections(): number {
    return this.server.openConnections;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const bytes = Buffer.concat(chunks);
    const body = JSON.parse(bytes.toString()) as SendEmailBody;
    const emailId = body.EmailTags.find(({ Name }) => Name === 'mailbeacon_email_id')?.Value ?? '';
    const step = this.scripts.take([emailId]) ?? this.usualResponse(request, bytes);
    this.requests.push({
      ...{ emailId, body, headers: request.headers, path: request.url ?? '' },
      content: Buffer.from(body.Content.Raw.Data, 'base64'),
      bodyHash: hashOf(bytes),
      accepted: accepts(step),
    });
    await perform(step, response);
  }

  private usualResponse({ headers }: IncomingMessage, bytes: Buffer): ScriptedResponse {
    if (headers['x-amz-content-sha256'] !== hashOf(bytes)) {
      return sesError(403, 'InvalidSignatureException', 'The request signature we calculated does not match');
    }
    return { status: 200, body: { MessageId: `ses-${this.requests.length + 1}` } };
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** An error response in the format of the API. */
export function sesError(status: number, name: string, message: string): ScriptedResponse {
  return { status, headers: { 'x-amzn-ErrorType': name }, body: { message } };
}

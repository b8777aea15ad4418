import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProviderStub } from './provider-stub.js';
import { accepts, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';

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
export class SesStub extends ProviderStub<SesRequest> {
  static listen(): Promise<SesStub> {
    return new SesStub().listen();
  }

  get messages(): readonly SesRequest[] {
    return this.acceptedRequests;
  }

  protected override hasNoEmail(request: IncomingMessage, body: Buffer): boolean {
    return request.headers['x-amz-content-sha256'] === hashOf(body) && super.hasNoEmail(request, body);
  }

  protected receive(request: IncomingMessage, bytes: Buffer): ScriptedStep {
    const body = JSON.parse(bytes.toString()) as SendEmailBody;
    const emailId = body.EmailTags.find(({ Name }) => Name === 'mailbeacon_email_id')?.Value ?? '';
    const step = this.scripts.take([emailId]) ?? this.usualResponse(request, bytes);
    this.requests.push({
      ...{ emailId, body, headers: request.headers, path: request.url ?? '' },
      content: Buffer.from(body.Content.Raw.Data, 'base64'),
      bodyHash: hashOf(bytes),
      accepted: accepts(step),
    });
    return step;
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

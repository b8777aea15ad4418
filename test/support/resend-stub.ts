import type { IncomingMessage } from 'node:http';
import { ProviderStub } from './provider-stub.js';
import { accepts, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';

export interface ResendBody {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly reply_to?: readonly string[];
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
  readonly attachments?: readonly {
    readonly filename: string;
    readonly content: string;
    readonly content_type?: string;
    readonly content_id?: string;
  }[];
}

/** A complete request, accepted or not. */
export interface ResendRequest {
  readonly emailId: string;
  readonly body: ResendBody;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** False also for a repeat under the same key. */
  readonly accepted: boolean;
}

const PLAIN = /^(?:[^"<>,;]+ <[^\s<>"]+>|[^\s<>",;]+)$/;

/** Responds to POST /emails as Resend does, or as scripted per email ID or address. It records every request. */
export class ResendStub extends ProviderStub<ResendRequest> {
  /** When set, the stub responds with 401 to any other key. */
  apiKey: string | undefined;
  /** Bodies and IDs of the accepted requests, by their idempotency keys. */
  private readonly known = new Map<string, { readonly text: string; readonly id: string }>();

  static listen(): Promise<ResendStub> {
    return new ResendStub().listen();
  }

  /** The accepted requests. */
  get messages(): readonly ResendRequest[] {
    return this.acceptedRequests;
  }

  protected receive(request: IncomingMessage, bytes: Buffer): ScriptedStep {
    const text = bytes.toString();
    const body = JSON.parse(text) as ResendBody;
    const emailId = body.tags.find(({ name }) => name === 'mailbeacon_email_id')?.value ?? '';
    const step = this.scripts.take([emailId, ...addressesOf(body)]) ?? this.usualResponse(request, body, text);
    const key = keyOf(request);
    const accepted = accepts(step) && !this.known.has(key);
    if (accepted) this.known.set(key, { text, id: `re-${this.known.size + 1}` });
    this.requests.push({ emailId, body, path: request.url ?? '', headers: request.headers, accepted });
    return step;
  }

  private usualResponse(request: IncomingMessage, body: ResendBody, text: string): ScriptedResponse {
    if (this.apiKey !== undefined && request.headers.authorization !== `Bearer ${this.apiKey}`) {
      return resendError(401, 'validation_error', 'API key is invalid');
    }
    const known = this.known.get(keyOf(request));
    if (known && known.text !== text) {
      return resendError(409, 'invalid_idempotent_request', 'This key was used with a different payload');
    }
    const problem = problemOf(body);
    if (problem) return problem;
    return { status: 200, body: { id: known?.id ?? `re-${this.known.size + 1}` } };
  }
}

/** Resend reads neither quotes in an address nor, in that of the sender, encoded words. */
function problemOf({ from, to, cc = [], bcc = [], reply_to = [], tags }: ResendBody): ScriptedResponse | undefined {
  const invalid = (field: string) => resendError(422, 'validation_error', `Invalid \`${field}\` field.`);
  if (from.includes('=?')) return resendError(451, 'security_error', 'The email payload contain invalid characters');
  if (!PLAIN.test(from)) return invalid('from');
  if (to.length === 0 || [to, cc, bcc].some((list) => list.length > 50)) return invalid('to');
  if (![...to, ...cc, ...bcc].every((one) => PLAIN.test(one))) return invalid('to');
  if (!reply_to.every((one) => PLAIN.test(one))) return invalid('reply_to');
  if (!tags.every(({ name, value }) => /^[\w-]{1,256}$/.test(name) && /^[\w-]{1,256}$/.test(value)))
    return invalid('tags');
  return undefined;
}

/** The addresses of all recipients, without their names. */
export function addressesOf({ to, cc = [], bcc = [] }: ResendBody): string[] {
  return [...to, ...cc, ...bcc].map((text) => /<([^<>]+)>$/.exec(text)?.[1] ?? text);
}

function keyOf({ headers }: IncomingMessage): string {
  const { 'idempotency-key': key } = headers;
  if (typeof key !== 'string' || key.length > 256) throw new Error('No valid idempotency key');
  return key;
}

/** An error response in the format of the API. */
export function resendError(status: number, name: string, message: string): ScriptedResponse {
  return { status, body: { statusCode: status, name, message } };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProviderStub } from './provider-stub.js';
import { accepts, type ScriptedResponse, type ScriptedStep } from './scripted-responses.js';
import { SendGridDomainsStub } from './sendgrid-domains-stub.js';

export interface Addressee {
  readonly email: string;
  readonly name?: string;
}

interface Personalization {
  readonly to?: Addressee[];
  readonly cc?: Addressee[];
  readonly bcc?: Addressee[];
  readonly subject?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly custom_args?: Readonly<Record<string, string>>;
  readonly substitutions?: Readonly<Record<string, string>>;
}
export interface MailSendBody {
  readonly personalizations: readonly Personalization[];
  readonly from: Addressee;
  readonly reply_to?: Addressee;
  readonly subject: string;
  readonly content: readonly { type: string; value: string }[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly {
    content: string;
    filename: string;
    type: string;
    disposition: string;
    content_id?: string;
  }[];
  readonly custom_args?: Readonly<Record<string, string>>;
  readonly tracking_settings?: unknown;
}
/** One email of a complete request to mail/send, accepted or not, as its recipients receive it. */
export interface SendGridRequest {
  readonly emailId: string;
  readonly attempt: number;
  readonly body: MailSendBody;
  readonly headers: IncomingMessage['headers'];
  readonly accepted: boolean;
  /** Its message ID in the response. */
  readonly providerId: string | undefined;
  readonly at: number;
  /** Number of the request, from 1. Several emails may share a request. */
  readonly call: number;
  /** Of the response, once it was sent completely. */
  status?: number;
}

/**
 * Responds to POST /v3/mail/send and to routes below /v3/whitelabel/domains as SendGrid does, or as scripted per email
 * ID or address. It records every request.
 */
export class SendGridStub extends ProviderStub<SendGridRequest> {
  /** The authenticated domains of the account; steps are scripted under 'domains'. */
  readonly domains = new SendGridDomainsStub();
  /** When set, the stub responds with 401 to any other key. */
  apiKey: string | undefined;
  /** Complete requests to mail/send. */
  calls = 0;

  static listen(): Promise<SendGridStub> {
    return new SendGridStub().listen();
  }

  /** The accepted requests. */
  get messages(): readonly SendGridRequest[] {
    return this.acceptedRequests;
  }

  protected override get drippedHeaders() {
    return { 'X-Message-Id': 'sg-drip' };
  }

  protected override hasNoEmail(request: IncomingMessage, body: Buffer): boolean {
    return !isAboutDomains(request) && super.hasNoEmail(request, body);
  }

  protected receive(request: IncomingMessage, bytes: Buffer, response: ServerResponse): ScriptedStep {
    const text = bytes.toString();
    if (isAboutDomains(request)) {
      const step = this.scripts.take(['domains']) ?? this.refusal(request);
      return step ?? this.domains.respond(request.method!, request.url!, text);
    }
    const body = JSON.parse(text) as MailSendBody;
    const emails = emailsOf(body);
    const call = ++this.calls;
    const keys = [...emails.map((email) => argumentOf(email, 'email_id')), ...emails.flatMap(addressesOf)];
    const step = this.scripts.take(keys) ?? this.usualResponse(request, body);
    const accepted = accepts(step);
    const providerId = 'headers' in step ? step.headers?.['X-Message-Id'] : undefined;
    const { headers } = request;
    const received = emails.map((email): SendGridRequest => {
      const [emailId, attempt] = [argumentOf(email, 'email_id'), Number(argumentOf(email, 'attempt'))];
      return { emailId, attempt, body: email, headers, accepted, providerId, at: Date.now(), call };
    });
    this.requests.push(...received);
    response.once('finish', () => received.forEach((one) => (one.status = response.statusCode)));
    return step;
  }

  private refusal({ headers }: IncomingMessage): ScriptedResponse | undefined {
    if (this.apiKey === undefined || headers.authorization === `Bearer ${this.apiKey}`) return undefined;
    return sendGridError(401, 'The provided authorization grant is invalid, expired, or revoked');
  }

  private usualResponse(request: IncomingMessage, body: MailSendBody): ScriptedResponse {
    const refusal = this.refusal(request);
    if (refusal) return refusal;
    const addresses = addressesOf(body);
    if (new Set(addresses).size < addresses.length) {
      return sendGridError(
        400,
        'Each email address in the personalization block should be unique between to, cc, and bcc',
      );
    }
    return { status: 202, headers: { 'X-Message-Id': `sg-${this.requests.length + 1}` } };
  }
}

function isAboutDomains({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/v3/whitelabel/domains');
}

function addressesOf({ personalizations: [first] }: Pick<MailSendBody, 'personalizations'>): string[] {
  const { to = [], cc = [], bcc = [] } = first ?? {};
  return [...to, ...cc, ...bcc].map(({ email }) => email.toLowerCase());
}

function argumentOf({ custom_args: values }: MailSendBody, name: string): string {
  return values?.[`mailbeacon_${name}`] ?? '';
}

/** The emails that SendGrid makes of a request: one for each personalization if these have substitutions. */
function emailsOf(body: MailSendBody): MailSendBody[] {
  const { personalizations, subject, content } = body;
  if (!personalizations.some(({ substitutions }) => substitutions)) return [body];
  return personalizations.map((one) => {
    const replaced = (text: string) =>
      Object.entries(one.substitutions ?? {}).reduce((made, [tag, value]) => made.replaceAll(tag, () => value), text);
    return {
      ...body,
      personalizations: [one],
      subject: replaced(one.subject ?? subject),
      content: content.map(({ type, value }) => ({ type, value: replaced(value) })),
      headers: { ...body.headers, ...one.headers },
      custom_args: { ...body.custom_args, ...one.custom_args },
    };
  });
}

/** An error response in the format of the API. */
export function sendGridError(status: number, message: string, field?: string): ScriptedResponse {
  return { status, body: { errors: [{ message, field: field ?? null, help: null }] } };
}

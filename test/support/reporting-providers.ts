import type { ProviderType } from '../../src/platform/config/provider-credentials.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { SecretBox } from '../../src/platform/encryption/secret-box.js';
import { mailgunEvent, mailgunSignature } from './mailgun-calls.js';
import { basic, postmarkEvent } from './postmark-calls.js';
import { resendEvent, resendHeaders } from './resend-calls.js';
import type { TestService } from './service.js';
import { EventWebhookKey, sendGridEvent } from './sendgrid-calls.js';
import { TOPIC, type SnsSigner } from './sns-calls.js';
import { addOwnProvider } from './stored-provider.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

/** A call as a provider makes it. */
export interface ProviderCall {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A provider's account that reports events. */
export interface ReportingProvider {
  /** As an organization gives it. */
  readonly eventKey: string;
  /** A verified call with any body. */
  sign(body: string): ProviderCall;
  /** Reports that the email did not reach this recipient, whose address does not exist. */
  bounce(email: string, recipient: string): ProviderCall;
}

const JSON_BODY = { 'content-type': 'application/json' };

function sendGrid(): ReportingProvider {
  const key = new EventWebhookKey();
  const sign = (body: string) => ({ body, headers: key.sign(body) });
  return {
    ...{ eventKey: key.publicKey, sign },
    bounce(mailbeacon_email_id, email) {
      const about = { mailbeacon_email_id, email, type: 'bounce', status: '5.1.1' };
      return sign(JSON.stringify([sendGridEvent('bounce', about)]));
    },
  };
}

function mailgun(name: string): ReportingProvider {
  const eventKey = `signing-key-${name}`;
  return {
    eventKey,
    /** The signature does not cover the body. */
    sign: (body) => ({ body, headers: JSON_BODY }),
    bounce(mailbeacon_email_id, recipient) {
      const about = { recipient, severity: 'permanent', reason: 'bounce', 'user-variables': { mailbeacon_email_id } };
      const call = { signature: mailgunSignature(eventKey), 'event-data': mailgunEvent('failed', about) };
      return this.sign(JSON.stringify(call));
    },
  };
}

function postmark(name: string): ReportingProvider {
  const eventKey = `postmark:${name}`;
  return {
    eventKey,
    sign: (body) => ({ body, headers: { ...JSON_BODY, authorization: basic(eventKey) } }),
    bounce(mailbeacon_email_id, Email) {
      const about = { Type: 'HardBounce', Email, Metadata: { mailbeacon_email_id } };
      return this.sign(JSON.stringify(postmarkEvent('Bounce', about)));
    },
  };
}

function resend(name: string): ReportingProvider {
  const eventKey = `whsec_${Buffer.from(`secret of ${name}`.padEnd(24, '.')).toString('base64')}`;
  return {
    eventKey,
    sign: (body) => ({ body, headers: resendHeaders(eventKey, body) }),
    bounce(mailbeacon_email_id, recipient) {
      const tags = { mailbeacon_email_id, mailbeacon_recipients: '1' };
      const about = { to: [recipient], tags, bounce: { type: 'Permanent', message: 'No such user' } };
      return this.sign(JSON.stringify(resendEvent('email.bounced', about)));
    },
  };
}

/** @param signer signs for all topics, as SNS does */
function ses(name: string, signer: SnsSigner): ReportingProvider {
  const eventKey = `${TOPIC}-${name}`;
  const post = (content: unknown) => ({
    body: JSON.stringify(signer.message(content, { TopicArn: eventKey })),
    headers: { 'content-type': 'text/plain; charset=UTF-8' },
  });
  return {
    eventKey,
    /** As the message of SNS. */
    sign: (body) => post(body),
    bounce(email, emailAddress) {
      const timestamp = new Date().toISOString();
      const mail = { timestamp, messageId: `ses-${uuidV7(Date.now())}`, tags: { mailbeacon_email_id: [email] } };
      const bounce = { timestamp, bounceType: 'Permanent', bouncedRecipients: [{ emailAddress, status: '5.1.1' }] };
      return post({ eventType: 'Bounce', mail, bounce });
    },
  };
}

/** New accounts with the types of providers that report events. @param name tells accounts apart */
export function reportingProviders(
  name: string,
  signer: SnsSigner,
): Record<Exclude<ProviderType, 'smtp'>, ReportingProvider> {
  return {
    sendgrid: sendGrid(),
    mailgun: mailgun(name),
    postmark: postmark(name),
    resend: resend(name),
    ses: ses(name, signer),
  };
}

/** The settings with which the service's own accounts are verified. */
export function settingsOf(accounts: ReturnType<typeof reportingProviders>): Record<string, string> {
  return {
    SENDGRID_EVENT_PUBLIC_KEY: accounts.sendgrid.eventKey,
    MAILGUN_EVENT_SIGNING_KEY: accounts.mailgun.eventKey,
    POSTMARK_EVENT_CREDENTIALS: accounts.postmark.eventKey,
    RESEND_EVENT_SECRET: accounts.resend.eventKey,
    SES_EVENT_TOPICS: accounts.ses.eventKey,
  };
}

/** Adds a provider to an organization, which only reports. @returns its ID */
export function addReportingProvider(
  service: TestService,
  organizationId: string,
  type: ProviderType,
  eventKey?: string,
  box?: SecretBox,
): Promise<string> {
  const provider = { type, credentials: {}, ...(eventKey !== undefined && { eventKey }), ...(box && { box }) };
  return addOwnProvider(service, organizationId, provider);
}

/** Makes the email one that a provider of its organization took, without sending it again. */
export async function tookOwnProvider({ database }: Pick<TestService, 'database'>, email: string): Promise<void> {
  await database.query('update emails set own_provider = true where id = $1', [email]);
}

/** Makes a call. @param to the ID of a provider, or the type for the service's own account */
export async function report(
  service: TestService,
  to: string,
  { body, headers }: ProviderCall,
): Promise<ProviderCallResponse & { readonly retryAfter: string | null }> {
  const call = await makeProviderCall(`${service.address}/api/providers/${to}/events`, body, headers);
  return { ...call.response, retryAfter: call.headers.get('retry-after') };
}

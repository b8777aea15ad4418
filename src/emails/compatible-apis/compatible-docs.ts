import { describeRoute } from '../../platform/openapi/describe-route.js';
import type { Parameter } from '../../platform/openapi/parameters.js';
import {
  enumOf,
  exampleOf,
  freeObject,
  integer,
  list,
  nullable,
  object,
  optional,
  string,
  type Described,
} from '../../platform/openapi/schemas.js';
import type { FieldOfEmail } from './resend/translate-email.js';
import type { FieldOfPersonalization } from './sendgrid/personalizations.js';
import type { FieldOfMail } from './sendgrid/translate-mail.js';

const tag = 'Compatible APIs';
const REFUSED = 'Every recipient is suppressed, or the Idempotency-Key was used with another request';
const emailId = string('ID of the email, as in GET /api/emails/{id}', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');

/** The fields that we honor, of which some are required. */
type Shape<Name extends string, Required extends Name> = Partial<Record<Name, unknown>> & Record<Required, unknown>;

/** Without fields that no accepted example can have beside the others. */
function without(schema: Described, ...names: string[]): Described {
  const fields = Object.entries(exampleOf(schema) as object).filter(([name]) => !names.includes(name));
  return { ...schema, examples: [Object.fromEntries(fields)] };
}

const address = object<{ email: string; name?: string }>('SendGridAddress', 'An address', {
  email: string('The address', 'reader@example.com'),
  name: optional(string('The name that mail programs show', 'Jane Reader')),
});
const addresses = list(address, 'Recipients');
const values = freeObject('Values by name', { plan: 'pro' });
const unixTime = integer('When to send, in seconds since 1970', 1_772_357_400);

const everyPersonalizationField = object<Shape<FieldOfPersonalization, 'to'>>('SendGridPersonalization', 'One email', {
  to: addresses,
  cc: optional(addresses),
  bcc: optional(addresses),
  from: optional(address),
  subject: optional(string('Replaces the subject of the mail', 'The sale has begun')),
  headers: optional(freeObject('Added to the headers of the mail', { 'X-Shop': 'north' })),
  custom_args: optional(values),
  dynamic_template_data: optional(values),
  send_at: optional(unixTime),
});

const personalization = without(everyPersonalizationField, 'dynamic_template_data');

const content = object<{ type: string; value: string }>('SendGridContent', 'A part of the message', {
  type: enumOf(['text/plain', 'text/html'], 'Media type', 'text/html'),
  value: string('The part itself', '<p>The sale has begun</p>'),
});

const everyMailField = object<Shape<FieldOfMail, 'personalizations'>>(
  'SendGridMail',
  'What to send, in the form of SendGrid',
  {
    personalizations: list(personalization, 'Each becomes an email of its own; at most 1,000'),
    from: optional({ ...address, description: 'The sender; a personalization may have its own' }),
    reply_to: optional(address),
    reply_to_list: optional(list(address, 'At most one address, and none beside reply_to')),
    subject: optional(string('The subject', 'The sale has begun')),
    content: optional(list(content, 'The HTML, the text, or both')),
    attachments: optional(list(freeObject('A file', { filename: 'a.txt', content: 'QQ==' }), 'Files of every email')),
    template_id: optional(
      string(
        'ID of a template of Mailbeacon, which may begin with d-; subject and content are not used then',
        `d-${'0'.repeat(8)}`,
      ),
    ),
    headers: optional(freeObject('Headers of every email', { 'X-Shop': 'north' })),
    categories: optional(list(string('A tag', 'sale'), 'Become tags')),
    custom_args: optional({ ...values, description: 'Become metadata' }),
    send_at: optional(unixTime),
    mail_settings: optional(freeObject('Settings that are off', { sandbox_mode: { enable: false } })),
    tracking_settings: optional(freeObject('Opens and clicks are always tracked', { open_tracking: { enable: true } })),
  },
);

const mail = without(everyMailField, 'template_id', 'reply_to_list');

const sendGridErrors = object<{ errors: unknown }>('SendGridErrors', 'Why a request failed', {
  errors: list(
    object<{ message: string; field: string | null; help: null }>('SendGridError', 'One problem', {
      message: string('A human-readable sentence', 'subject must not be empty'),
      field: nullable(string('The field; null if the problem is about none', 'subject')),
      help: { type: 'null', description: 'Always null', examples: [null] },
    }),
    'The problems',
  ),
});

const text = (description: string, example: string) => optional(string(description, example));
const recipients = list(string('An address', 'reader@example.com'), 'One address, or a list of addresses');

const everyEmailField = object<Shape<FieldOfEmail, 'from' | 'to'>>('ResendEmail', 'An email, in the form of Resend', {
  from: string('The sender', 'Shop <news@acme.example>'),
  to: { ...recipients, type: ['string', 'array'] },
  cc: optional({ ...recipients, type: ['string', 'array'] }),
  bcc: optional({ ...recipients, type: ['string', 'array'] }),
  reply_to: text('Address that replies go to, also as a list of one', 'help@acme.example'),
  subject: text('The subject; required without template', 'The sale has begun'),
  html: text('The HTML', '<p>The sale has begun</p>'),
  text: text('The text part', 'The sale has begun'),
  headers: optional(freeObject('Headers', { 'X-Shop': 'north' })),
  attachments: optional(list(freeObject('A file', { filename: 'a.txt', content: 'QQ==' }), 'Files')),
  tags: optional(list(freeObject('A pair', { name: 'plan', value: 'pro' }), 'Become metadata')),
  scheduled_at: text('When to send, in ISO 8601 with a time zone', '2026-03-01T09:30:00Z'),
  template: optional(
    freeObject('A template of Mailbeacon and its variables; without html and text', { id: 'id', variables: {} }),
  ),
});

const email = without(everyEmailField, 'template');

const resendError = object<{ statusCode: number; name: string; message: string }>('ResendError', 'Why it failed', {
  statusCode: integer('The status', 400),
  name: string('The kind of error', 'validation_error'),
  message: string('A human-readable sentence', 'subject must not be empty'),
});

const sent = object<{ id: string }>('ResendSent', 'The accepted email', { id: emailId });

const validation: Parameter = {
  in: 'header',
  name: 'X-Batch-Validation',
  schema: enumOf(['strict', 'permissive'], 'Whether an invalid email refuses all others', 'strict'),
};

const shared = { tag, bearerKey: true, idempotent: true } as const;

export const compatibleDocs = {
  sendGrid: describeRoute({
    ...shared,
    operationId: 'sendGridMailSend',
    summary: "Send with SendGrid's libraries",
    description:
      'One email per personalization. Personalizations whose recipients are all suppressed are left out. Other ' +
      'problems of one of them refuse all. A field that is not listed here is refused.',
    body: mail,
    responses: {
      202: {
        description: 'All are accepted',
        headers: { 'X-Message-Id': { description: `${emailId.description}; of the first`, schema: emailId } },
      },
    },
    errors: { 422: REFUSED },
    errorBody: sendGridErrors,
  }),
  resend: describeRoute({
    ...shared,
    operationId: 'resendEmail',
    summary: "Send with Resend's libraries",
    description: 'The response does not wait for delivery. A field that is not listed here is refused.',
    body: email,
    responses: { 200: { description: 'The email is accepted', schema: sent } },
    errors: { 422: REFUSED },
    errorBody: resendError,
  }),
  resendBatch: describeRoute({
    ...shared,
    operationId: 'resendBatch',
    summary: "Send many emails with Resend's libraries",
    description: 'At most 100 emails. They may have attachments and times, too.',
    parameters: [validation],
    body: list(email, 'The emails'),
    responses: {
      200: {
        description: 'The accepted emails, in order',
        schema: object<{ data: unknown; errors?: unknown }>('ResendBatch', 'The result', {
          data: list(sent, 'The accepted emails'),
          errors: optional(
            list(
              object<{ index: number; message: string }>('ResendBatchError', 'An email that was left out', {
                index: integer('Position in the request', 1),
                message: string('A human-readable sentence', 'subject must not be empty'),
              }),
              'Only with permissive validation',
            ),
          ),
        }),
      },
    },
    errors: { 422: REFUSED },
    errorBody: resendError,
  }),
};

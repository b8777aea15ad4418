import { campaignStats } from '../campaigns/campaign-docs.js';
import { headers, newAttachments, tags } from '../emails/email-fields.js';
import {
  dateTime,
  decimal,
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
} from '../platform/openapi/schemas.js';
import { templateId } from '../templates/template-docs.js';
import {
  MAX_BROADCAST_NAME,
  MAX_PACE,
  type ChangeBroadcastRequest,
  type CreateBroadcastRequest,
  type SendBroadcastRequest,
} from './broadcast-requests.js';
import { BROADCAST_STATUSES } from './broadcast-status.js';
import type { BroadcastDetail, BroadcastProgress, BroadcastView } from './broadcast-view.js';
import type { InvalidRecipient, UploadResult } from './recipients/recipient-upload.js';

const HTML = '<p>Hello {{ name | default: "there" }}, <a href="{{unsubscribe_url}}">unsubscribe</a></p>';
export const broadcastId = string('ID of the broadcast', '0190f3a6-11c2-7e7b-8d4f-6b1e2c9a7d35');
const name = string('Name; its campaign gets the same name unless the request names another one', 'Spring sale', {
  minLength: 1,
  maxLength: MAX_BROADCAST_NAME,
});
const version = string('Changes with every change of the draft', '0190f3a6-2b7d-7c1f-9a48-3e5d7f60c182');
const subject = string('Subject line, in Liquid', 'The sale has begun, {{ name }}');
const pace = integer('Maximum number of emails per minute; no limit without it', 6000, {
  minimum: 1,
  maximum: MAX_PACE,
});

const progress = object<BroadcastProgress>(
  'BroadcastProgress',
  'Progress; `total` is the sum of the five counts below',
  {
    total: integer('Recipients', 12000),
    queued: integer('Recipients whose email is not final', 4000),
    sent: integer('Emails that the provider accepted', 7870),
    failed: integer('Emails that failed for good', 10),
    suppressed: integer('Recipients that got no email because they were suppressed', 120),
    canceled: integer('Recipients that got no email because the broadcast was canceled', 0),
    perSecond: decimal('Current emails per second; 0 unless it is sending', 310.5),
    etaSeconds: nullable(integer('Seconds until all emails are final, at this rate; null when unknown', 13)),
  },
);

const fields = {
  id: broadcastId,
  version,
  name,
  status: enumOf(BROADCAST_STATUSES, 'Status of the broadcast', 'sending'),
  from: string('Requested sender', 'Ada <ada@acme.example>'),
  replyTo: nullable(string('Address that replies go to, or null', 'help@acme.example')),
  subject,
  tags: { ...tags, description: 'Tags of its emails' },
  campaignId: nullable(
    string('Campaign of its emails; null for a draft without one', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  ),
  pace: nullable(pace),
  sendAt: nullable(dateTime('When sending begins; null for at once')),
  waitsUntil: nullable(
    dateTime('When it continues if the budget of emails per day is used up; null while it does not wait'),
  ),
  createdAt: dateTime('Time of creation'),
  startedAt: nullable(dateTime('When its first emails were queued, or null')),
  endedAt: nullable(dateTime('When its last email became final or it was canceled, or null')),
  progress,
};
export const broadcastSummary = object<BroadcastView>('BroadcastSummary', 'A broadcast in a list', fields);
export const broadcastSchema = object<BroadcastDetail>(
  'Broadcast',
  'One message to many recipients, with an email for each',
  {
    ...fields,
    stats: nullable({ ...campaignStats, description: 'Totals of its campaign; null before it has one' }),
  },
);

const contentFields = {
  name,
  from: string('Address, or Name <address>', 'Ada <ada@acme.example>'),
  replyTo: optional(string('Address that replies go to', 'help@acme.example')),
  subject: optional({ ...subject, description: 'Subject line, in Liquid. Required without templateId' }),
  htmlContent: optional(
    string(
      'HTML, or MJML whose root element is <mjml>; at most 5 MB. Required without textContent and templateId',
      HTML,
      {
        minLength: 1,
      },
    ),
  ),
  templateId: optional({
    ...templateId,
    description: 'ID of a template: its subject, HTML and text are used where the request has none',
  }),
  textContent: optional(
    string('Text part that replaces the one derived from the HTML; at most 1 MB', 'The sale has begun'),
  ),
  headers: optional(headers),
  attachments: optional({
    ...newAttachments,
    description: 'Files for every recipient. An update without them keeps those of the draft',
  }),
  tags: optional(tags),
  campaignId: optional(string('Name or ID of a campaign; a new name creates the campaign', 'Spring sale')),
  pace: optional(pace),
  sendAt: optional(dateTime('When it begins; at once without it. At most 366 days ahead')),
};

/** The example has its own content instead of a template, and no version of a draft that does not exist. */
function withUsableExample(schema: Described): Described {
  const fields = Object.entries(exampleOf(schema) as object);
  const used = fields.filter(([name]) => name !== 'templateId' && name !== 'version');
  return { ...schema, examples: [Object.fromEntries(used)] };
}

export const broadcastCreation = withUsableExample(
  object<CreateBroadcastRequest>(
    'CreateBroadcast',
    'A new broadcast; its subject, HTML and text are Liquid',
    contentFields,
  ),
);
export const broadcastChange = withUsableExample(
  object<ChangeBroadcastRequest>(
    'ChangeBroadcast',
    'The new content of a draft; its subject, HTML and text are Liquid',
    {
      ...contentFields,
      version: optional({
        ...version,
        description:
          'The version that is changed: 409 if the draft has another one. Without it, any version is replaced',
      }),
    },
  ),
);
export const broadcastSending = withUsableExample(
  object<SendBroadcastRequest>('SendBroadcast', 'Which draft is sent', {
    version: optional({
      ...version,
      description: 'The version that is sent: 409 if the draft has another one. Without it, any version is sent',
    }),
  }),
);

export const broadcastRecipient = object<{ to: string; variables?: object; metadata?: object }>(
  'BroadcastRecipient',
  'A recipient',
  {
    to: string('Address, or Name <address>; an address counts once per broadcast', 'Grace <grace@example.com>'),
    variables: optional(
      freeObject('Values for the variables of the message; at most 10,000 bytes as JSON', { name: 'Grace' }),
    ),
    metadata: optional(
      freeObject('Your own data, stored with the email; at most 10,000 bytes as JSON', { orderId: 4711 }),
    ),
  },
);

export const uploadedRecipients = object<UploadResult>('UploadedRecipients', 'Result of adding the recipients', {
  added: integer('Recipients that will get an email', 9_870),
  repeated: integer('Recipients whose address the broadcast already had', 20),
  suppressed: integer('Recipients that get no email because they are suppressed', 109),
  invalidTotal: integer('Recipients that are not stored', 1),
  invalid: list(
    object<InvalidRecipient>('InvalidRecipient', 'A recipient that is not stored', {
      line: integer('Line of the stream, or position in the list, starting at 1', 4),
      reason: string('What is wrong', 'to must be one email address like jane@example.com or Jane <jane@example.com>'),
    }),
    'The first invalid recipients, at most 100',
    { maxItems: 100 },
  ),
});

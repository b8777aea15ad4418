import {
  dateTime,
  enumOf,
  freeObject,
  integer,
  list,
  nullable,
  object,
  optional,
  string,
} from '../platform/openapi/schemas.js';
import { machineStats, peopleStats } from '../events/engagement-docs.js';
import { MAX_TAGS, TAG } from './accept/field-rules.js';
import { MAX_SUBJECT } from './accept/content-rules.js';
import type { AttachmentView } from './attachments/attachment.js';
import { EMAIL_STATUSES } from './email-status.js';

/* Fields of requests and responses. */

export const emailId = string('ID of the email', '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40');
export const trackingId = string('Short tracking ID of the email', '3Dlq2v5NJzQHOqbKVSEGDmYB');
export const emailStatus = enumOf(
  EMAIL_STATUSES,
  'Status of the email; tracked when another provider sends it',
  'sent',
);
export const sender = string('Address, or Name <address>', 'Ada <ada@acme.example>');
export const subject = string('Subject line, without line breaks', 'The sale has begun', {
  minLength: 1,
  maxLength: MAX_SUBJECT,
});
export const address = string('An email address', 'reader@example.com');
export const metadata = freeObject('Your own data, stored with the email; at most 10,000 bytes as JSON', {
  orderId: 4711,
});

export const tags = list(string('A tag', 'spring-2026', { pattern: TAG.source }), `At most ${MAX_TAGS} tags`, {
  maxItems: MAX_TAGS,
});

/** Request fields that a sender sets for its own use. */
export const labels = { metadata: optional(metadata), tags: optional(tags) };

export const headers = freeObject(
  'At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII',
  { 'X-Order': '4711' },
);
export const sendAt = dateTime(
  'When to send it, with a time zone; at most 366 days ahead. Without it, or for a time that has passed: at once',
);

export const newSendAt = dateTime(
  'When to send it instead, with a time zone; at most 366 days ahead. For a time that has passed: at once',
);

const filename = string('Name of the file, without slashes', 'invoice.pdf', { minLength: 1, maxLength: 255 });
const contentType = string('Media type; without it, we choose one by the name', 'application/pdf', { maxLength: 200 });
const contentId = string('For an inline image, which the HTML shows as cid:<contentId>', 'logo', {
  minLength: 1,
  maxLength: 200,
});

export const attachments = list(
  object<AttachmentView>('Attachment', 'A file that comes with an email', {
    filename,
    contentType,
    contentId: nullable(contentId),
    size: integer('Size in bytes', 48_213),
  }),
  'Attachments, without their contents',
);

export const newAttachments = list(
  object<{ filename: string; content: string; contentType?: string; contentId?: string }>(
    'NewAttachment',
    'A file to send',
    {
      filename,
      content: string('The file in base64', 'SGVsbG8sIHJlYWRlciE='),
      contentType: optional(contentType),
      contentId: optional(contentId),
    },
  ),
  'At most 20 files, 20 MB together when decoded',
  { maxItems: 20 },
);

/** Fields of an email in lists and in the detail. */
export const viewFields = {
  id: emailId,
  trackingId,
  status: emailStatus,
  subject: string('Subject line; empty once its recipient is erased', 'The sale has begun'),
  campaign: nullable(string('Name of its campaign; null without one', 'Spring sale')),
  tags,
  lastError: nullable(string('Why the last attempt failed', '451 4.7.1 Please try again later')),
  createdAt: dateTime('Time of acceptance'),
  sentAt: nullable(dateTime('Time when the provider accepted it; null until then')),
  opens: integer('Opens', 2),
  clicks: integer('Clicks', 1),
  people: peopleStats,
  machines: machineStats,
};

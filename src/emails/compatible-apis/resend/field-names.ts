import type { FieldNames } from '../field-names.js';

const NAMES: Readonly<Record<string, string>> = {
  replyTo: 'reply_to',
  htmlContent: 'html',
  textContent: 'text',
  metadata: 'tags',
  sendAt: 'scheduled_at',
  contentType: 'content_type',
  contentId: 'content_id',
};

/** Resend's name of a field of POST /api/send, such as `attachments.0.contentType`. */
export const resendName: FieldNames = (field) => {
  if (field === 'templateId') return 'template.id';
  if (field === 'variables') return 'template.variables';
  return field
    .split('.')
    .map((name) => (Object.hasOwn(NAMES, name) ? NAMES[name] : name))
    .join('.');
};

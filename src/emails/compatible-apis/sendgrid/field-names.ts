import type { FieldNames } from '../field-names.js';

/** Fields that every personalization has of its own. */
const OWN: Readonly<Record<string, string>> = { to: 'to', cc: 'cc', bcc: 'bcc', variables: 'dynamic_template_data' };

const COMMON: Readonly<Record<string, string>> = {
  replyTo: 'reply_to',
  htmlContent: 'content',
  textContent: 'content',
  templateId: 'template_id',
  tags: 'categories',
  metadata: 'custom_args',
  sendAt: 'send_at',
  contentType: 'type',
  contentId: 'content_id',
};

/** SendGrid's name of a field of POST /api/send, such as `attachments.0.contentType`. */
export const sendGridName: FieldNames = (field, message) => {
  const names = field.split('.').map((name) => (Object.hasOwn(COMMON, name) ? COMMON[name]! : name));
  const own = Object.hasOwn(OWN, names[0]!) ? OWN[names[0]!] : undefined;
  return (own ? ['personalizations', message, own, ...names.slice(1)] : names).join('.');
};

import { boolean, exampleOf, list, object, optional, string, textOrList } from '../platform/openapi/schemas.js';
import { MAX_BATCH_EMAILS, type BatchRequest } from './accept/batch/batch-request.js';
import type { SendRequest, TrackRequest } from './accept/send-request.js';
import { strictVariables, templateId, templateVariables } from '../templates/template-docs.js';
import { headers, labels, newAttachments, sendAt, sender, subject } from './email-fields.js';

const HTML = '<p>The sale has begun: <a href="https://example.com/sale">have a look</a></p>';
const htmlContent = string('HTML, or MJML whose root element is <mjml>; at most 5 MB', HTML, { minLength: 1 });

const requestFields = {
  to: textOrList('One or more recipients; 1 to 50 addresses in to, cc and bcc together', ['reader@example.com']),
  subject,
  campaignId: optional(string('Name or ID of a campaign; a new name creates the campaign', 'Spring sale')),
  ...labels,
};

const everySendField = object<SendRequest>('SendRequest', 'An email to send', {
  from: sender,
  ...requestFields,
  subject: optional({ ...subject, description: `${subject.description}. Required without templateId` }),
  htmlContent: optional({
    ...htmlContent,
    description: `${htmlContent.description}. Required without textContent and templateId`,
  }),
  templateId: optional({
    ...templateId,
    description: 'ID of a template: its subject, HTML and text are used where the request has none',
  }),
  variables: optional({
    ...templateVariables,
    description: `${templateVariables.description}. With them, subject, HTML and text are Liquid; without them and without templateId, braces stay braces`,
  }),
  strict: optional(strictVariables),
  textContent: optional(
    string(
      'The text part, used unchanged; without it, we derive one from the HTML. At most 1 MB',
      'The sale has begun',
      {
        minLength: 1,
      },
    ),
  ),
  headers: optional(headers),
  attachments: optional(newAttachments),
  replyTo: optional(string('Address that replies go to', 'help@acme.example')),
  cc: optional(textOrList('Copies', ['boss@example.com'])),
  bcc: optional(textOrList('Blind copies, hidden from other recipients', ['archive@example.com'])),
  sendAt: optional(sendAt),
  unsubscribe: optional(
    boolean(
      'True for mail that its recipient may unsubscribe from: adds the headers of one-click unsubscription, and puts the ' +
        'address of the unsubscribe page in place of {{unsubscribe_url}}. Needs exactly one recipient',
      false,
    ),
  ),
});

const example = Object.entries(exampleOf(everySendField) as object).filter(
  ([name]) => !['templateId', 'variables', 'strict'].includes(name),
);
/** The example has content of its own instead of a template. */
export const sendRequest = { ...everySendField, examples: [Object.fromEntries(example)] };

export const batchRequest = object<BatchRequest>('BatchRequest', 'Many emails to send', {
  emails: list(sendRequest, '1 to 500 messages, each as for POST /api/send', {
    minItems: 1,
    maxItems: MAX_BATCH_EMAILS,
  }),
});

export const trackRequest = object<TrackRequest>('TrackRequest', 'An email that another provider sends', {
  ...requestFields,
  htmlContent,
  from: optional(sender),
});

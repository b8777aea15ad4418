import { boolean, object, optional, string, textOrList } from '../platform/openapi/schemas.js';
import type { SendRequest, TrackRequest } from './accept/send-request.js';
import { headers, metadata, newAttachments, sender, subject, tags } from './email-fields.js';

const HTML = '<p>The sale has begun: <a href="https://example.com/sale">have a look</a></p>';
const htmlContent = string('HTML, or MJML whose root element is <mjml>; at most 5 MB', HTML, { minLength: 1 });

const requestFields = {
  to: textOrList('One or more recipients; 1 to 50 addresses in to, cc and bcc together', ['reader@example.com']),
  subject,
  campaignId: optional(string('Name or ID of a campaign; a new name creates the campaign', 'Spring sale')),
  metadata: optional(metadata),
  tags: optional(tags),
};

export const sendRequest = object<SendRequest>('SendRequest', 'An email to send', {
  from: sender,
  ...requestFields,
  htmlContent: optional({ ...htmlContent, description: `${htmlContent.description}. Required without textContent` }),
  textContent: optional(
    string('The text part as it is; without it, we make one of the HTML. At most 1 MB', 'The sale has begun', {
      minLength: 1,
    }),
  ),
  headers: optional(headers),
  attachments: optional(newAttachments),
  replyTo: optional(string('Address that replies go to', 'help@acme.example')),
  cc: optional(textOrList('Copies', ['boss@example.com'])),
  bcc: optional(textOrList('Blind copies, hidden from other recipients', ['archive@example.com'])),
  unsubscribe: optional(
    boolean(
      'True for mail that its recipient may unsubscribe from: adds the headers of one-click unsubscription, and puts the ' +
        'address of the unsubscribe page in place of {{unsubscribe_url}}. Needs exactly one recipient',
      false,
    ),
  ),
});

export const trackRequest = object<TrackRequest>('TrackRequest', 'An email that another provider sends', {
  ...requestFields,
  htmlContent,
  from: optional(sender),
});

import { jsonBody } from '../http/json-body.js';
import type { RequestBody } from '../http/http-exchange.js';
import type { OutgoingAttachment, OutgoingEmail } from '../provider.js';
import { typeInBase64 } from '../message-parts.js';
import { toMailSendBody } from './mail-send-body.js';

/** The body of POST /v3/mail/send. */
export function sendGridRequestBody(email: OutgoingEmail): RequestBody {
  return jsonBody(toMailSendBody(email), email.attachments ?? [], {
    list: 'attachments',
    content: 'content',
    describe,
  });
}

/** SendGrid refuses semicolons in each of these fields. */
function describe({ filename, contentType, contentId }: OutgoingAttachment): object {
  return {
    filename: filename.replaceAll(';', '_'),
    type: typeInBase64(contentType).split(';', 1)[0],
    disposition: contentId === null ? 'attachment' : 'inline',
    ...(contentId !== null && { content_id: contentId.replaceAll(';', '_') }),
  };
}

import { readFields } from '../../platform/http/body.pipe.js';
import { MESSAGE_ID_HEADER } from '../../providers/provider.js';
import { readMimeHeaders } from '../accept/message-headers.js';
import { SendRequest, type DecodedRequest } from '../accept/send-request.js';
import { attachFiles } from '../attachments/read-attachments.js';
import { fieldOf } from './mime/header-fields.js';
import { readMimeContent } from './mime/message-content.js';
import { readMimeMessageFields } from './mime/message-fields.js';
import { readRecipientNames } from './mime/recipient-names.js';
import { readEntity } from './mime/read-entity.js';

/** A message as one of POST /api/send, for the recipients of its envelope. */
export interface SubmittedMessage {
  readonly messageId: string | undefined;
  /** May have the domain of the envelope. */
  readonly from: string;
  /** When it was written, by the clock of its client, in milliseconds since the epoch; NaN without a valid date. */
  readonly date: number;
  /** @param recipient of the envelope */
  readonly to: (recipient: string) => DecodedRequest;
}

/** Stands for the text of a message that has none, such as one that only carries a file. */
const EMPTY_TEXT = '\n';

/**
 * @param sender of the envelope
 * @throws DomainError for a message that we cannot send
 */
export async function readSubmittedMessage(raw: Buffer, sender = ''): Promise<SubmittedMessage> {
  const entity = await readEntity(raw);
  const withName = readRecipientNames(entity.fields);
  const { headers, messageId, ...fields } = readMimeMessageFields(
    entity.fields,
    sender.slice(sender.lastIndexOf('@') + 1),
  );
  const { html, text, files } = await readMimeContent(entity);
  const hasHtml = html !== undefined && html.trim() !== '';
  const request = readFields(
    {
      ...fields,
      to: 'recipient@mailbeacon.invalid',
      ...(hasHtml && { htmlContent: html }),
      ...((text || !hasHtml) && { textContent: text || EMPTY_TEXT }),
    },
    SendRequest,
  );
  const others = readMimeHeaders(headers);
  // Not one of the headers that are counted.
  const own = messageId === undefined ? others : { ...others, [MESSAGE_ID_HEADER]: messageId };
  const decoded = { ...request, headers: own, attachments: await attachFiles(files) };
  const date = Date.parse(fieldOf(entity.fields, 'date') ?? '');
  return { messageId, from: request.from, date, to: (recipient) => ({ ...decoded, to: withName(recipient) }) };
}

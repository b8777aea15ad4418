import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { readList, readMap, readObject, readText, withoutAbsent, type Fields } from '../read-object.js';
import { requireSupportedSettings } from './mail-settings.js';
import { readPersonalizations, type Personalization } from './personalizations.js';
import { readNamedAddress, readUnixTime } from './values.js';

/** The fields of `POST /v3/mail/send` that we honor. */
const MAIL_FIELDS = [
  'personalizations',
  'from',
  'reply_to',
  'reply_to_list',
  'subject',
  'content',
  'attachments',
  'template_id',
  'headers',
  'categories',
  'custom_args',
  'send_at',
  'mail_settings',
  'tracking_settings',
] as const;

export type FieldOfMail = (typeof MAIL_FIELDS)[number];

/** SendGrid's limit of a message. Here it bounds what checking the same content for every personalization costs. */
const MAX_CONTENT_BYTES = 30 * 1024 * 1024;

/**
 * Translates a body of SendGrid's `POST /v3/mail/send` to one message of POST /api/send per personalization. The first
 * has the attachments of all. One at a time: a thousand personalizations would copy the headers of a body as often.
 * @throws InvalidFieldError for a field that we cannot honor; the fields of the messages are checked later
 */
export function* translateMail(body: unknown): Generator<object> {
  const mail = readObject(body, '', MAIL_FIELDS);
  requireSupportedSettings(mail.mail_settings, mail.tracking_settings);
  const personalizations = readPersonalizations(mail.personalizations);
  const templateId = readTemplateId(mail.template_id);
  const given = readContent(mail.content);
  if (templateId === undefined && Object.keys(given).length === 0) {
    throw new InvalidFieldError('content', 'is required, unless template_id is given');
  }
  requireContentWithin(given, personalizations.length);
  // As at SendGrid, a template wins over the subject and the content, which several of its libraries always send.
  const content = templateId === undefined ? given : {};
  const common: CommonFields = {
    ...content,
    from: mail.from === undefined ? undefined : readNamedAddress(mail.from, 'from'),
    subject: readText(mail.subject, 'subject'),
    headers: readMap(mail.headers, 'headers'),
    metadata: readMap(mail.custom_args, 'custom_args'),
    replyTo: readReplyTo(mail),
    tags: mail.categories === undefined ? undefined : [mail.categories].flat(),
    templateId,
    sendAt: mail.send_at === undefined ? undefined : readUnixTime(mail.send_at, 'send_at'),
  };
  const attachments = readAttachments(mail.attachments);
  for (const [index, personalization] of personalizations.entries()) {
    const message = toMessage(common, personalization, index);
    yield withoutAbsent(index === 0 && attachments ? { ...message, attachments } : message);
  }
}

/** Fields of the mail, for every personalization that has none of its own. */
interface CommonFields extends Content {
  readonly from: string | undefined;
  readonly subject: string | undefined;
  readonly headers: Record<string, unknown> | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly replyTo: string | undefined;
  readonly tags: unknown[] | undefined;
  readonly templateId: string | undefined;
  readonly sendAt: string | undefined;
}

function toMessage(common: CommonFields, own: Personalization, index: number): object {
  const { to, cc, bcc, variables } = own;
  if (variables && common.templateId === undefined) {
    throw new InvalidFieldError(`personalizations.${index}.dynamic_template_data`, 'needs template_id');
  }
  return {
    ...common,
    ...{ to, cc, bcc, variables },
    from: own.from ?? common.from,
    subject: common.templateId === undefined ? (own.subject ?? common.subject) : undefined,
    headers: merged(common.headers, own.headers),
    metadata: merged(common.metadata, own.customArgs),
    sendAt: own.sendAt ?? common.sendAt,
  };
}

/** Copies nothing unless both have fields. */
function merged(
  common: Record<string, unknown> | undefined,
  own: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  return common && own ? { ...common, ...own } : (own ?? common);
}

function readReplyTo({
  reply_to: one,
  reply_to_list: several,
}: Fields<'reply_to' | 'reply_to_list'>): string | undefined {
  const list = readList(several, 'reply_to_list');
  if (list.length + (one === undefined ? 0 : 1) > 1) {
    throw new InvalidFieldError('reply_to_list', 'must have one address, and none beside reply_to');
  }
  if (one !== undefined) return readNamedAddress(one, 'reply_to');
  return list.length === 0 ? undefined : readNamedAddress(list[0], 'reply_to_list.0');
}

interface Content {
  readonly htmlContent?: string;
  readonly textContent?: string;
}

function readContent(value: unknown): Content {
  const content: { htmlContent?: string; textContent?: string } = {};
  readList(value, 'content').forEach((entry, index) => {
    const path = `content.${index}`;
    const fields = readObject(entry, path, ['type', 'value']);
    const name = fields.type === 'text/html' ? 'htmlContent' : 'textContent';
    if (name === 'textContent' && fields.type !== 'text/plain') {
      throw new InvalidFieldError(`${path}.type`, 'must be text/plain or text/html');
    }
    if (content[name] !== undefined) throw new InvalidFieldError(`${path}.type`, 'must be given once');
    content[name] = readText(fields.value, `${path}.value`) ?? '';
  });
  return content;
}

function requireContentWithin({ htmlContent = '', textContent = '' }: Content, messages: number): void {
  const bytes = (Buffer.byteLength(htmlContent) + Buffer.byteLength(textContent)) * messages;
  if (bytes <= MAX_CONTENT_BYTES) return;
  throw new InvalidFieldError('content', 'must have at most 30 MB in total, counted for every personalization');
}

/** SendGrid's library sends `dynamic_template_data` only with IDs that begin with `d-`, so this prefix is allowed. */
function readTemplateId(value: unknown): string | undefined {
  return readText(value, 'template_id')?.replace(/^d-/, '');
}

function readAttachments(value: unknown): object[] | undefined {
  if (value === undefined) return undefined;
  return readList(value, 'attachments').map((entry, index) => {
    const path = `attachments.${index}`;
    const fields = readObject(entry, path, ['content', 'type', 'filename', 'disposition', 'content_id', 'contentId']);
    const { content, type: contentType, filename, disposition = 'attachment' } = fields;
    // SendGrid's library leaves this one name in camel case.
    const contentId = fields.content_id ?? fields.contentId;
    if (disposition !== 'attachment' && disposition !== 'inline') {
      throw new InvalidFieldError(`${path}.disposition`, 'must be attachment or inline');
    }
    if (disposition === 'inline' && contentId === undefined) {
      throw new InvalidFieldError(`${path}.content_id`, 'is required with the disposition inline');
    }
    return withoutAbsent({ filename, content, contentType, ...(disposition === 'inline' && { contentId }) });
  });
}

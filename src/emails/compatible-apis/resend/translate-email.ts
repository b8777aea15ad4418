import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { readList, readMap, readObject, readText, under, withoutAbsent, type Fields } from '../read-object.js';
import { readFileContent } from './file-content.js';

/** The fields of `POST /emails` that we honor. */
const FIELDS = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply_to',
  'subject',
  'html',
  'text',
  'headers',
  'attachments',
  'tags',
  'scheduled_at',
  'template',
] as const;

export type FieldOfEmail = (typeof FIELDS)[number];

const FILE_FIELDS = ['content', 'filename', 'content_type', 'contentType', 'content_id', 'inline_content_id'] as const;

const MAX_BATCH = 100;

/**
 * Translates a body of Resend's `POST /emails` to a message of POST /api/send.
 * @param path of the email in the body
 * @throws InvalidFieldError for a field that we cannot honor; the fields of the message are checked later
 */
export function translateEmail(value: unknown, path = ''): object {
  const email = readObject(value, path, FIELDS);
  const { from, to, cc, bcc, html, text } = email;
  const template = email.template === undefined ? {} : readTemplate(email.template, under(path, 'template'));
  if (email.template !== undefined) requireNoContent(email, path);
  return withoutAbsent({
    ...{ from, to, cc, bcc, ...template },
    subject: subjectOf(email),
    headers: readMap(email.headers, under(path, 'headers')),
    htmlContent: html,
    textContent: text,
    replyTo: readReplyTo(email.reply_to, under(path, 'reply_to')),
    attachments: email.attachments === undefined ? undefined : readAttachments(email.attachments, path),
    metadata: email.tags === undefined ? undefined : readTags(email.tags, under(path, 'tags')),
    sendAt: email.scheduled_at,
  });
}

/** Translates a body of Resend's `POST /emails/batch`. @throws InvalidFieldError */
export function requireEmails(body: unknown): readonly unknown[] {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_BATCH) {
    throw new InvalidFieldError('body', `must be an array of 1 to ${MAX_BATCH} emails`);
  }
  return body;
}

function readTemplate(value: unknown, path: string): object {
  const { id, variables } = readObject(value, path, ['id', 'variables']);
  if (id === undefined) throw new InvalidFieldError(under(path, 'id'), 'is required');
  return { templateId: id, variables: readMap(variables, under(path, 'variables')) };
}

/** The libraries for Go and Rust send an empty subject beside a template if the program gives none. */
function subjectOf({ subject, template }: Fields<'subject' | 'template'>): unknown {
  return subject === '' && template !== undefined ? undefined : subject;
}

/** As at Resend, the subject may replace that of the template, but the content may not. */
function requireNoContent(email: Fields<'html' | 'text'>, path: string): void {
  for (const name of ['html', 'text'] as const) {
    if (email[name] !== undefined) throw new InvalidFieldError(under(path, name), 'must be absent beside template');
  }
}

function readReplyTo(value: unknown, path: string): unknown {
  if (!Array.isArray(value)) return value;
  if (value.length > 1) throw new InvalidFieldError(path, 'must be one address');
  return value[0] as unknown;
}

function readAttachments(value: unknown, path: string): object[] {
  return readList(value, under(path, 'attachments')).map((entry, index) => {
    const at = under(path, `attachments.${index}`);
    const fields = readObject(entry, at, FILE_FIELDS);
    return withoutAbsent({
      content: readFileContent(fields.content, under(at, 'content')),
      filename: fields.filename,
      contentType: readRenamed(fields, ['content_type', 'contentType'], at),
      contentId: readRenamed(fields, ['content_id', 'inline_content_id'], at),
    });
  });
}

/** A field that some libraries still send under another name, such as those for Rust and older ones for JavaScript. */
function readRenamed<Name extends string>(
  fields: Fields<Name>,
  [name, former]: readonly [Name, Name],
  path: string,
): unknown {
  const { [name]: value, [former]: formerValue = value } = fields;
  if (value !== undefined && formerValue !== value) {
    throw new InvalidFieldError(under(path, former), `must be the same as ${name}`);
  }
  return formerValue;
}

/** Tags are pairs, as our metadata is. A name that is given twice would lose a value. */
function readTags(value: unknown, path: string): object {
  const pairs = readList(value, path).map((entry, index) => {
    const at = under(path, index);
    const fields = readObject(entry, at, ['name', 'value']);
    const name = readText(fields.name, under(at, 'name'));
    const text = readText(fields.value, under(at, 'value'));
    if (name === undefined || text === undefined) throw new InvalidFieldError(at, 'must have a name and a value');
    return [name, text] as const;
  });
  const tags = new Map(pairs);
  if (tags.size < pairs.length) throw new InvalidFieldError(path, 'must have each name once');
  return Object.fromEntries(tags);
}

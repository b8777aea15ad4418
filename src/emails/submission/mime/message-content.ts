import { MAX_ATTACHMENTS } from '../../attachments/read-attachments.js';
import { MAX_HTML_BYTES, MAX_TEXT_BYTES } from '../../accept/send-request.js';
import { decodeBody, decodeTextBody } from './decode-body.js';
import { fieldOf, readParameterized, type ParameterizedValue } from './header-fields.js';
import { MessageProblem } from './message-problem.js';
import type { MimeEntity } from './read-entity.js';

/** A file of a message, decoded. */
export interface MimeFile {
  readonly filename: string;
  readonly contentType: string;
  /** The HTML refers to it by this ID. Null for any other file. */
  readonly contentId: string | null;
  readonly bytes: Buffer;
}

export interface MimeContent {
  readonly html: string | undefined;
  readonly text: string | undefined;
  readonly files: readonly MimeFile[];
}

const TOKEN = /^[A-Za-z0-9!#$&^_.+'*%`|~-]{1,60}$/;
const KEPT_PARAMETERS = ['charset', 'method', 'component'];
const MAX_NAME = 255;
/** Extensions for files that have no name. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['message/rfc822', 'eml'],
  ['text/calendar', 'ics'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
]);
/** The types of an alternative that mail programs show beside HTML and text, or as a file. */
const ALTERNATIVES = new Set(['text/calendar']);

/**
 * The HTML, the text and the files of a message. Nothing is left out: a part that has no place in our messages refuses
 * it.
 * @throws MessageProblem
 */
export async function readMimeContent(message: MimeEntity): Promise<MimeContent> {
  const reader = new ContentReader();
  await reader.read(message, false);
  return reader.content;
}

class ContentReader {
  private html: string | undefined;
  private text: string | undefined;
  private readonly files: MimeFile[] = [];

  get content(): MimeContent {
    const { html, text } = this;
    // Many mail programs give every file an ID.
    const known = new Set<string>();
    const files = this.files.map((file) => {
      const isInline = isReferred(html, file.contentId) && !known.has(file.contentId!) && known.add(file.contentId!);
      return isInline ? file : { ...file, contentId: null };
    });
    return { html, text, files };
  }

  /** @param isAlternative true directly within multipart/alternative */
  async read(entity: MimeEntity, isAlternative: boolean): Promise<void> {
    const { type, parts } = entity;
    if (isSealed(type)) {
      throw new MessageProblem(`Signed and encrypted messages (${type}) cannot be tracked, and are not accepted`);
    }
    if (type.startsWith('multipart/')) {
      for (const part of parts) await this.read(part, type === 'multipart/alternative');
      return;
    }
    const disposition = readParameterized(fieldOf(entity.fields, 'content-disposition') ?? '');
    const isText = await this.takeText(entity, disposition, isAlternative);
    if (!isText) await this.takeFile(entity, disposition, isAlternative);
  }

  /** @returns false for a part that is no text of the message */
  private async takeText(
    entity: MimeEntity,
    disposition: ParameterizedValue,
    isAlternative: boolean,
  ): Promise<boolean> {
    const isFile = disposition.value === 'attachment' || disposition.parameters.has('filename');
    if (isFile) return false;
    if (entity.type === 'text/html' && this.html === undefined)
      this.html = await decodeTextBody(entity, MAX_HTML_BYTES);
    // A text after HTML is not its alternative, but one more piece of the message.
    else if (entity.type === 'text/plain' && this.text === undefined && (isAlternative || this.html === undefined))
      this.text = await decodeTextBody(entity, MAX_TEXT_BYTES);
    else return false;
    return true;
  }

  private async takeFile(entity: MimeEntity, disposition: ParameterizedValue, isAlternative: boolean): Promise<void> {
    if (this.files.length >= MAX_ATTACHMENTS)
      throw new MessageProblem(`The message has more than ${MAX_ATTACHMENTS} files`);
    const { type, typeParameters, fields } = entity;
    if (isAlternative && disposition.value === '' && type.startsWith('text/') && !ALTERNATIVES.has(type)) {
      throw new MessageProblem(`An alternative of the type ${type.slice(0, 60)} cannot be sent`);
    }
    const given = disposition.parameters.get('filename') ?? typeParameters.get('name') ?? '';
    this.files.push({
      filename: safeName(given) || `attachment-${this.files.length + 1}.${EXTENSIONS.get(type) ?? 'bin'}`,
      contentType: contentTypeOf(entity),
      contentId: /^<?([^<>]*)>?$/.exec(fieldOf(fields, 'content-id') ?? '')?.[1] || null,
      bytes: await decodeBody(entity),
    });
  }
}

/** Tracking changes the message, which its signature or encryption forbids. */
function isSealed(type: string): boolean {
  return (
    type === 'application/pgp-encrypted' ||
    type === 'multipart/signed' ||
    type === 'multipart/encrypted' ||
    /^application\/(x-)?pkcs7-(mime|signature)$/.test(type)
  );
}

function isReferred(html: string | undefined, contentId: string | null): boolean {
  if (contentId === null || html === undefined) return false;
  return html.includes(`cid:${contentId}`) || html.includes(`cid:${encodeURIComponent(contentId)}`);
}

/** Path separators and control characters become underscores, so that a message is not refused for the name of a file. */
function safeName(name: string): string {
  return (
    name
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replace(/[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '_')
      .trim()
      .slice(-MAX_NAME)
  );
}

/** Messages within messages are sent as files, because an attachment of ours is always in base64 (RFC 2045, 6.4). */
function contentTypeOf({ type, typeParameters }: MimeEntity): string {
  const [main = '', sub = ''] = type.split('/');
  if (main === 'message' || !TOKEN.test(main) || !TOKEN.test(sub)) return 'application/octet-stream';
  const kept = KEPT_PARAMETERS.flatMap((name) => {
    const value = typeParameters.get(name);
    return value !== undefined && TOKEN.test(value) ? [`; ${name}=${value}`] : [];
  });
  return `${type}${kept.join('')}`;
}

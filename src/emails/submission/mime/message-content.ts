import { setImmediate } from 'node:timers/promises';
import { MAX_ATTACHMENTS } from '../../attachments/read-attachments.js';
import { htmlAfterText } from '../../../rendering/html-after-text.js';
import { isMjml } from '../../../rendering/mjml.js';
import { isMessageType, typeInBase64 } from '../../../providers/message-parts.js';
import { MAX_HTML_BYTES, MAX_TEXT_BYTES } from '../../accept/content-rules.js';
import { decodeBody, decodeTextBody } from './decode-body.js';
import { unwrapFlowed } from './flowed-text.js';
import { extensionOf, safeContentType, safeFilename } from './file-fields.js';
import { fieldOf, readParameterized, type ParameterizedValue } from './header-fields.js';
import { MessageProblem } from './message-problem.js';
import type { MimeEntity } from './read-entity.js';
import { isSevenBit } from './seven-bit.js';

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

/** Without their parameters, which are not kept, mail programs can show nothing of them (RFC 2046, 5.2.2 and 5.2.3). */
const PARAMETERIZED = new Set(['message/external-body', 'message/partial']);
/** Occurrences of an ID that are checked: a hostile HTML has a million that are the beginning of longer IDs. */
const MAX_OCCURRENCES = 1_000;
/** What follows a URL in an attribute or a style sheet. */
const END_OF_URL = /^$|["'\s<>)&]/;
/** The types of an alternative that mail programs show beside HTML and text, or as a file. */
const ALTERNATIVES = new Set(['text/calendar']);

/**
 * The HTML, the text and the files of a message. Nothing is left out: a part that has no place in our messages refuses
 * it.
 * @throws MessageProblem
 */
export async function readMimeContent(message: MimeEntity): Promise<MimeContent> {
  const reader = new ContentReader();
  await reader.read(message, 'outside');
  return reader.content;
}

/** Where a part stands: directly within multipart/alternative, deeper within one, or outside of all of them. */
type Place = 'alternative' | 'below' | 'outside';

class ContentReader {
  /** A text that is shown before the others, because it is no alternative of them (RFC 2046, 5.1.3). */
  private intro: string | undefined;
  private html: string | undefined;
  private text: string | undefined;
  private readonly files: MimeFile[] = [];

  get content(): MimeContent {
    const { intro = '', html: ownHtml, text: ownText } = this;
    const hasHtml = ownHtml !== undefined && ownHtml.trim() !== '';
    // HTML before the root of MJML would keep it from being compiled.
    const takesIntro = hasHtml && !isMjml(ownHtml);
    const html = takesIntro && intro.trim() !== '' ? htmlAfterText(intro, ownHtml) : ownHtml;
    // Without a text of its own, the text of the HTML begins with the same words.
    const text = takesIntro && ownText === undefined ? undefined : joinTexts(this.intro, ownText);
    // Many mail programs give every file an ID.
    const known = new Set<string>();
    const files = this.files.map((file) => {
      const isInline = isReferred(html, file.contentId) && !known.has(file.contentId!) && known.add(file.contentId!);
      return isInline ? file : { ...file, contentId: null };
    });
    return { html, text, files };
  }

  async read(entity: MimeEntity, place: Place): Promise<void> {
    const { type, parts } = entity;
    if (isSealed(type)) {
      throw new MessageProblem(`Signed and encrypted messages (${type}) cannot be tracked, and are not accepted`);
    }
    if (type.startsWith('multipart/')) {
      const below = place === 'outside' ? 'outside' : 'below';
      for (const part of parts) await this.read(part, type === 'multipart/alternative' ? 'alternative' : below);
      return;
    }
    await setImmediate();
    const disposition = readParameterized(fieldOf(entity.fields, 'content-disposition') ?? '');
    const isText = await this.takeText(entity, disposition, place);
    if (!isText) await this.takeFile(entity, disposition, place === 'alternative');
  }

  /** @returns false for a part that is no text of the message */
  private async takeText(entity: MimeEntity, disposition: ParameterizedValue, place: Place): Promise<boolean> {
    const isFile = disposition.value === 'attachment' || disposition.parameters.has('filename');
    if (isFile) return false;
    if (entity.type === 'text/html' && this.html === undefined)
      this.html = await decodeTextBody(entity, MAX_HTML_BYTES);
    else if (entity.type === 'text/plain' && this.hasPlaceForText(place))
      this[place === 'outside' ? 'intro' : 'text'] = await decodePlainText(entity);
    else return this.takeFurtherText(entity, place);
    return true;
  }

  /** Apple Mail writes such parts after a file, and after the last one, even if they say nothing. */
  private async takeFurtherText(entity: MimeEntity, place: Place): Promise<boolean> {
    const { type, typeParameters, body } = entity;
    if (!['text/html', 'text/plain'].includes(type) || typeParameters.has('name')) return false;
    if (body.toString('latin1').trim() === '') return true;
    // Readers of HTML show what follows its end as a part of its body.
    if (type === 'text/plain' || place === 'alternative' || isMjml(this.html!)) return false;
    this.html += await decodeTextBody(entity, MAX_HTML_BYTES);
    return true;
  }

  /** A text after HTML that is not its alternative is one more piece of the message, and so is a second text. */
  private hasPlaceForText(place: Place): boolean {
    const { intro, html, text } = this;
    if (place === 'alternative') return text === undefined;
    return text === undefined && html === undefined && (place === 'below' || intro === undefined);
  }

  private async takeFile(entity: MimeEntity, disposition: ParameterizedValue, isAlternative: boolean): Promise<void> {
    if (this.files.length >= MAX_ATTACHMENTS)
      throw new MessageProblem(`The message has more than ${MAX_ATTACHMENTS} files`);
    const { type, typeParameters, fields } = entity;
    if (isAlternative && disposition.value === '' && type.startsWith('text/') && !ALTERNATIVES.has(type)) {
      throw new MessageProblem(`An alternative of the type ${type.slice(0, 60)} cannot be sent`);
    }
    const given = disposition.parameters.get('filename') ?? typeParameters.get('name') ?? '';
    const bytes = await decodeBody(entity);
    const contentType = safeContentType(entity);
    const keepsType = !isMessageType(contentType) || (!PARAMETERIZED.has(type) && (await isSevenBit(bytes)));
    this.files.push({
      filename: safeFilename(given) || `attachment-${this.files.length + 1}.${extensionOf(type)}`,
      contentType: keepsType ? contentType : typeInBase64(contentType),
      contentId: /^<?([^<>]*)>?$/.exec(fieldOf(fields, 'content-id') ?? '')?.[1] || null,
      bytes,
    });
  }
}

async function decodePlainText(entity: MimeEntity): Promise<string> {
  const text = await decodeTextBody(entity, MAX_TEXT_BYTES);
  const [format, deletesBlanks] = ['format', 'delsp'].map((name) => entity.typeParameters.get(name)?.toLowerCase());
  return format === 'flowed' ? unwrapFlowed(text, deletesBlanks === 'yes') : text;
}

function joinTexts(intro: string | undefined, text: string | undefined): string | undefined {
  if (intro === undefined || text === undefined) return intro ?? text;
  return intro.trim() === '' ? text : `${intro.trimEnd()}\n\n${text}`;
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
  return [contentId, encodeURIComponent(contentId)].some((id) => hasUrl(html, `cid:${id}`));
}

/** False for the beginning of another URL, such as `cid:image1` in `cid:image10`. */
function hasUrl(html: string, url: string): boolean {
  let at = html.indexOf(url);
  for (let checked = 0; at !== -1 && checked < MAX_OCCURRENCES; checked++) {
    if (END_OF_URL.test(html.slice(at + url.length, at + url.length + 1))) return true;
    at = html.indexOf(url, at + url.length);
  }
  return false;
}

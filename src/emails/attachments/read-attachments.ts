import { webcrypto } from 'node:crypto';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isJsonObject } from '../../platform/http/json-object.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { isMessageType } from '../../providers/message-parts.js';
import { hasControlCharacters } from '../mailbox.js';
import { changesDirection } from '../accept/plain-text.js';
import type { NewAttachment } from './attachment.js';
import { contentTypeOf } from './content-types.js';

const MEGABYTE = 1024 * 1024;
export const MAX_ATTACHMENTS = 20;
const MAX_BYTES = 20 * MEGABYTE;
/** The limit of common file systems. */
const MAX_NAME = 255;
const TOKEN = "[A-Za-z0-9!#$&^_.+'*%`|~-]+";
/** RFC 2045, 5.1. */
const CONTENT_TYPE = new RegExp(
  `^(?!multipart/)${TOKEN}/${TOKEN}(?:; ?${TOKEN}=(?:${TOKEN}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`,
  'i',
);
const MAX_CONTENT_TYPE = 200;
/** SendGrid refuses semicolons: with another ID, the HTML would not show the image. */
const CONTENT_ID = /^[\x21-\x3a\x3d\x3f-\x7e]{1,200}$/;

interface FileFields {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
}

interface AttachmentFields extends FileFields {
  /** Base64 without white space. */
  readonly content: string;
}

/**
 * Decodes the attachments of a request, and removes the encoded ones from `body`: they are its largest part, and are no
 * longer needed.
 * @throws InvalidFieldError
 */
export async function takeAttachments(body: { attachments?: unknown[] }): Promise<NewAttachment[] | undefined> {
  const decoded = body.attachments && (await readAttachments(body.attachments));
  delete body.attachments;
  return decoded;
}

/** Their number and size are checked before anything is decoded. */
async function readAttachments(attachments: readonly unknown[]): Promise<NewAttachment[]> {
  requireFew(attachments);
  const fields = attachments.map(readFields);
  requireDistinctIds(fields);
  requireSmall(fields.map(({ content }) => Buffer.byteLength(content, 'base64')));
  return Promise.all(fields.map(decode));
}

/** Files that are decoded already, under the same rules. Those of message types are 7-bit. @throws InvalidFieldError */
export async function attachFiles(
  files: readonly { filename: string; contentType: string; contentId: string | null; bytes: Buffer }[],
): Promise<NewAttachment[]> {
  requireFew(files);
  const fields = files.map(({ bytes, ...file }, index) => ({
    ...readFileFields(file, `attachments.${index}`),
    bytes,
  }));
  requireDistinctIds(fields);
  requireSmall(fields.map(({ bytes }) => bytes.length));
  return Promise.all(fields.map(({ bytes, ...file }) => withDigest(file, bytes)));
}

function requireFew(attachments: readonly unknown[]): void {
  if (attachments.length <= MAX_ATTACHMENTS) return;
  throw new InvalidFieldError('attachments', `must have at most ${MAX_ATTACHMENTS} entries`);
}

/** @param sizes in bytes, decoded */
function requireSmall(sizes: readonly number[]): void {
  if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_BYTES) return;
  throw new InvalidFieldError('attachments', 'must have at most 20 MB in total');
}

function readFields(attachment: unknown, index: number): AttachmentFields {
  const field = `attachments.${index}`;
  if (!isJsonObject(attachment)) throw new InvalidFieldError(field, 'must be an object with filename and content');
  const { content, ...file } = attachment;
  const fields = readFileFields(file, field);
  if (typeof content !== 'string') {
    throw new InvalidFieldError(`${field}.content`, 'is required and must be a string in base64');
  }
  // It has no base64 encoding (RFC 2045, 6.4), and not every content can do without.
  if (isMessageType(fields.contentType)) throw invalidContentType(field);
  return { ...fields, content: /\s/.test(content) ? content.replace(/\s+/g, '') : content };
}

function readFileFields({ filename, contentType, contentId }: Record<string, unknown>, field: string): FileFields {
  if (!isFilename(filename)) {
    throw new InvalidFieldError(
      `${field}.filename`,
      `must be 1 to ${MAX_NAME} characters, without slashes, control characters and changes of direction`,
    );
  }
  return {
    ...{ field, filename },
    contentType: readContentType(field, contentType) ?? contentTypeOf(filename),
    contentId: readContentId(field, contentId),
  };
}

function isFilename(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_NAME) return false;
  return !/[/\\]/.test(value) && isWellFormed(value) && !hasControlCharacters(value) && !changesDirection(value);
}

function readContentType(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length <= MAX_CONTENT_TYPE && CONTENT_TYPE.test(value)) return value;
  throw invalidContentType(field);
}

function invalidContentType(field: string): InvalidFieldError {
  return new InvalidFieldError(
    `${field}.contentType`,
    'must be a media type like application/pdf, not multipart/… or message/…',
  );
}

function readContentId(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && CONTENT_ID.test(value)) return value;
  throw new InvalidFieldError(
    `${field}.contentId`,
    'must be 1 to 200 printable ASCII characters without blanks, semicolons and angle brackets',
  );
}

function requireDistinctIds(attachments: readonly FileFields[]): void {
  const known = new Set<string>();
  for (const { field, contentId } of attachments) {
    if (contentId === null) continue;
    if (known.has(contentId)) throw new InvalidFieldError(`${field}.contentId`, 'must be unique within the email');
    known.add(contentId);
  }
}

async function decode({ content, ...file }: AttachmentFields): Promise<NewAttachment> {
  const bytes = Buffer.from(content, 'base64');
  // The decoder skips invalid characters, so the result is then too short.
  const isWhole =
    content.replace(/={1,2}$/, '').length % 4 !== 1 && bytes.length === Buffer.byteLength(content, 'base64');
  if (!isWhole) throw new InvalidFieldError(`${file.field}.content`, 'is not valid base64');
  return withDigest(file, bytes);
}

/** The digest is computed outside of the event loop. */
async function withDigest({ filename, contentType, contentId }: FileFields, bytes: Buffer): Promise<NewAttachment> {
  const sha256 = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
  return { filename, contentType, contentId, size: bytes.length, sha256, bytes };
}

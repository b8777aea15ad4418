import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidFieldError } from '../errors/domain-error.js';

export const MAX_PAGE = 1000;

/** The requested part of a list. `after` is the sort key of the previous page's last item. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: readonly string[];
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Sort key of the last item, if more items follow. */
  readonly next?: readonly string[];
}

/** True for a timestamp in the format of our responses. Postgres can parse such a cursor part. */
export function isTimestamp(text: string): boolean {
  const time = /^[12]\d{3}-.{19}$/.test(text) ? new Date(text) : new Date(NaN);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Reads `limit` and `cursor`. @param keyParts one check for each part of the list's sort key */
export function readPageRequest(
  query: { limit?: unknown; cursor?: unknown },
  keyParts: readonly ((part: string) => boolean)[],
): PageRequest {
  return { limit: readLimit(query.limit), ...readCursor('cursor', query.cursor, keyParts) };
}

/** Reads the cursor of a second list in the same response, which is paged separately. @param parameter its name */
export function readSecondPage(
  parameter: string,
  query: Readonly<Record<string, unknown>>,
  keyParts: readonly ((part: string) => boolean)[],
): PageRequest {
  return { limit: MAX_PAGE, ...readCursor(parameter, query[parameter], keyParts) };
}

/** Builds a page from the rows of a query with `limit + 1`; the extra row shows that another page follows. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  keyOf: (row: Row) => readonly string[],
): Page<Item> {
  const kept = rows.slice(0, limit);
  const last = kept[kept.length - 1];
  return { items: kept.map(toItem), ...(rows.length > limit && last && { next: keyOf(last) }) };
}

/** Adds a Link header with the URL of the next page (RFC 8288). */
export function linkNextPage(
  request: FastifyRequest,
  reply: FastifyReply,
  next: readonly string[] | undefined,
  { rel, parameter } = { rel: 'next', parameter: 'cursor' },
): void {
  if (!next) return;
  const [path, search = ''] = request.url.split('?', 2);
  const parameters = new URLSearchParams(search);
  parameters.set(parameter, Buffer.from(JSON.stringify(next)).toString('base64url'));
  const before = reply.getHeader('link');
  const link = `<${path}?${parameters.toString()}>; rel="${rel}"`;
  void reply.header('link', before === undefined ? link : `${String(before)}, ${link}`);
}

function readLimit(value: unknown): number {
  if (value === undefined) return MAX_PAGE;
  const limit = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_PAGE)
    throw new InvalidFieldError('limit', `must be a whole number from 1 to ${MAX_PAGE}`);
  return limit;
}

function readCursor(
  parameter: string,
  value: unknown,
  keyParts: readonly ((part: string) => boolean)[],
): { after?: readonly string[] } {
  if (value === undefined) return {};
  const parts = typeof value === 'string' ? decodeCursor(value) : undefined;
  const fits =
    parts?.length === keyParts.length &&
    parts.every((part, index) => typeof part === 'string' && keyParts[index]!(part));
  if (!fits) throw new InvalidFieldError(parameter, 'must be the cursor of a Link header of this list');
  return { after: parts };
}

function decodeCursor(cursor: string): string[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

import { setImmediate } from 'node:timers/promises';
import { fieldOf, readHeaderFields, readParameterized, type HeaderField } from './header-fields.js';
import { MessageProblem } from './message-problem.js';

/** A message, or a part of one (RFC 2045). */
export interface MimeEntity {
  readonly fields: readonly HeaderField[];
  /** Media type in lower case. */
  readonly type: string;
  readonly typeParameters: ReadonlyMap<string, string>;
  /** As sent, without the parts of a multipart. */
  readonly body: Buffer;
  /** Of a multipart; empty otherwise. */
  readonly parts: readonly MimeEntity[];
}

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_PARTS = 100;
const MAX_DEPTH = 10;
/** Lines that begin like a boundary. More than the parts, because a boundary can begin like another one. */
const MAX_BOUNDARY_LINES = 10_000;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Splits a message into its parts, in time linear in its size: the libraries for this need up to 30 microseconds per
 * line, so one message of empty lines would stop a process for half a minute.
 * @throws MessageProblem
 */
export function readEntity(raw: Buffer): Promise<MimeEntity> {
  return new EntityReader().read(raw, 0);
}

class EntityReader {
  private parts = 0;

  async read(raw: Buffer, depth: number): Promise<MimeEntity> {
    // A header of many fields takes up to 20 ms, and to search a large message up to 0.2 s.
    await setImmediate();
    const { header, body } = splitHeader(raw);
    const fields = readHeaderFields(header);
    const { value, parameters: typeParameters } = readParameterized(fieldOf(fields, 'content-type') ?? '');
    // A type that is none is plain text (RFC 2045, 5.2).
    const type = /^[^/]+\/[^/]+$/.test(value) ? value : 'text/plain';
    const entity = { fields, type, typeParameters };
    if (!type.startsWith('multipart/')) return { ...entity, body, parts: [] };
    if (depth >= MAX_DEPTH) throw new MessageProblem(`The parts are nested more than ${MAX_DEPTH} times`);
    const raws = splitParts(body, requireBoundary(typeParameters));
    this.parts += raws.length;
    if (this.parts > MAX_PARTS) throw tooManyParts();
    const parts: MimeEntity[] = [];
    for (const part of raws) parts.push(await this.read(part, depth + 1));
    return { ...entity, body: NOTHING, parts };
  }
}

function splitHeader(raw: Buffer): { header: Buffer; body: Buffer } {
  // A part may begin with an empty line: it has no header.
  if (raw[0] === LF) return { header: NOTHING, body: raw.subarray(1) };
  if (raw[0] === CR && raw[1] === LF) return { header: NOTHING, body: raw.subarray(2) };
  const beginning = raw.subarray(0, MAX_HEADER_BYTES);
  const ends = [
    { at: beginning.indexOf('\r\n\r\n'), length: 4 },
    { at: beginning.indexOf('\n\n'), length: 2 },
  ].filter(({ at }) => at >= 0);
  const [end] = ends.sort((a, b) => a.at - b.at);
  if (end) return { header: raw.subarray(0, end.at), body: raw.subarray(end.at + end.length) };
  if (raw.length > MAX_HEADER_BYTES) throw new MessageProblem('A header has more than 64 KB');
  return { header: raw, body: NOTHING };
}

function requireBoundary(parameters: ReadonlyMap<string, string>): string {
  const boundary = parameters.get('boundary') ?? '';
  if (boundary !== '' && boundary.length <= 200) return boundary;
  throw new MessageProblem('A multipart has no boundary');
}

/** The parts between lines with the boundary (RFC 2046, 5.1.1). A last part without its end is complete. */
function splitParts(body: Buffer, boundary: string): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const nextLine = Buffer.concat([Buffer.of(LF), delimiter]);
  /** Position of the next line that begins with the delimiter; -1 if there is none. */
  const find = (from: number): number => {
    const at = body.indexOf(nextLine, from);
    return at < 0 ? -1 : at + 1;
  };
  const parts: Buffer[] = [];
  let start: number | undefined;
  let lines = 0;
  const first = body.subarray(0, delimiter.length).equals(delimiter) ? 0 : find(0);
  for (let at = first; at >= 0; at = find(at + delimiter.length)) {
    if (++lines > MAX_BOUNDARY_LINES) throw tooManyParts();
    const lineEnd = body.indexOf(LF, at);
    const line = body.subarray(at + delimiter.length, lineEnd < 0 ? body.length : lineEnd).toString('latin1');
    const isLast = /^--[ \t\r]*$/.test(line);
    if (!isLast && !/^[ \t\r]*$/.test(line)) continue;
    if (start !== undefined) parts.push(body.subarray(start, endBefore(body, at, start)));
    if (parts.length > MAX_PARTS) throw tooManyParts();
    if (isLast) return parts;
    start = lineEnd < 0 ? body.length : lineEnd + 1;
  }
  if (start !== undefined) parts.push(body.subarray(start));
  if (parts.length === 0 && /\S/.test(body.toString('latin1'))) {
    throw new MessageProblem('A multipart has no part: its boundary is missing');
  }
  return parts;
}

/** The line break before a boundary belongs to the boundary. */
function endBefore(body: Buffer, boundary: number, start: number): number {
  const withoutLf = boundary - 1;
  const end = body[withoutLf - 1] === CR ? withoutLf - 1 : withoutLf;
  return Math.max(end, start);
}

function tooManyParts(): MessageProblem {
  return new MessageProblem(`The message has more than ${MAX_PARTS} parts`);
}

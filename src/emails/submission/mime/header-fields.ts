import { isAscii, isUtf8 } from 'node:buffer';
import { decodeWords } from 'postal-mime';
import { MessageProblem } from './message-problem.js';

/** A field of a header, unfolded (RFC 5322, 2.2.3). */
export interface HeaderField {
  /** As written. */
  readonly name: string;
  readonly value: string;
}

/** A value with parameters, such as `text/plain; charset=utf-8`. */
export interface ParameterizedValue {
  /** In lower case. */
  readonly value: string;
  /** By their lower-case names. */
  readonly parameters: ReadonlyMap<string, string>;
}

const FIELD = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:(.*)$/s;
/**
 * A quoted value without its closing quote ends with the text, so that no text takes quadratic time. One without quotes
 * may have several words, but not those of a parameter whose semicolon is missing.
 */
const PARAMETER =
  /;[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^\s;"]+(?:[ \t]+[^\s;"(=]+(?=[\s;]|$))*)?)/g;
/** Scripts write names of files with blanks and without quotes. */
const HAS_WORDS = new Set(['name', 'filename']);
const MAX_PARAMETERIZED = 2_000;
const EXTENDED = /^([^*]+)(?:\*(\d{1,2}))?(\*)?$/;

/** @throws MessageProblem */
export function readHeaderFields(header: Buffer): HeaderField[] {
  // Folded lines become one, with a blank for each tab: other headers may not have tabs.
  const text = decodeText(header, undefined)
    .replace(/\r?\n(?=[ \t])/g, '')
    .replaceAll('\t', ' ');
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) => {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined) throw new MessageProblem('A line of a header has no field name');
    return { name, value: value!.trim() };
  });
}

/** The value of the first field with this name. @param name in lower case */
export function fieldOf(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name.toLowerCase() === name)?.value;
}

/**
 * Reads a Content-Type or Content-Disposition, with values that continue or have a character set (RFC 2231).
 * @throws MessageProblem
 */
export function readParameterized(text: string): ParameterizedValue {
  if (text.length > MAX_PARAMETERIZED) throw new MessageProblem('A Content-Type or Content-Disposition is too long');
  const parts = new Map<string, Part[]>();
  for (const [, written, quoted, plain] of text.matchAll(PARAMETER)) {
    const [, name, place, extended] = EXTENDED.exec(written!.toLowerCase()) ?? [];
    if (name === undefined) continue;
    const part = {
      place: place === undefined ? undefined : Number(place),
      isEncoded: extended !== undefined,
      text: quoted?.replace(/\\(.)/g, '$1') ?? (HAS_WORDS.has(name) ? plain : plain?.split(' ', 1)[0]) ?? '',
    };
    const known = parts.get(name);
    if (known) known.push(part);
    else parts.set(name, [part]);
  }
  const parameters = new Map([...parts].map(([name, values]) => [name, joinParts(values)]));
  return { value: /^[^\s;(]*/.exec(text)![0].toLowerCase(), parameters };
}

interface Part {
  /** Of a value that continues. */
  readonly place: number | undefined;
  readonly isEncoded: boolean;
  readonly text: string;
}

/** Programs add a plain value for readers that know no character sets (RFC 6266, 4.3). */
function bestOf(parts: readonly Part[]): readonly Part[] {
  const whole = parts.find(({ place, isEncoded }) => place === undefined && isEncoded);
  if (whole) return [whole];
  const pieces = parts.filter(({ place }) => place !== undefined);
  return pieces.length > 0 ? pieces.sort((a, b) => a.place! - b.place!) : parts.slice(0, 1);
}

/** The first part names the character set of all encoded ones. */
function joinParts(parts: readonly Part[]): string {
  const inOrder = bestOf(parts);
  const [first] = inOrder;
  if (!inOrder.some(({ isEncoded }) => isEncoded)) return decodeWords(inOrder.map(({ text }) => text).join(''));
  const [, charset = '', rest] = first!.isEncoded ? (/^([^']*)'[^']*'(.*)$/s.exec(first!.text) ?? []) : [];
  const texts = inOrder.map(({ text }, at) => (at === 0 ? (rest ?? text) : text));
  const bytes = Buffer.concat(
    texts.map((text, at) => (inOrder[at]!.isEncoded ? percentDecoded(text) : Buffer.from(text))),
  );
  return decodeText(bytes, charset);
}

function percentDecoded(text: string): Buffer {
  const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** Names that mail programs use for character sets, and their standard names. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['', 'unknown', 'unknown-8bit', 'x-unknown', 'default', 'ansi', 'us-ascii'].map((name) => [name, ''] as const),
  ...(['1250', '1251', '1252', '1253', '1254'] as const).map((page) => [`cp${page}`, `windows-${page}`] as const),
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['latin-1', 'latin1'],
]);

/**
 * Decodes text. Without a character set it is UTF-8, or else Windows-1252, as mail programs read it.
 * @throws MessageProblem for an unknown character set
 */
export function decodeText(bytes: Buffer, charset = ''): string {
  const name = charset.trim().toLowerCase();
  const label = (ALIASES.get(name) ?? name) || (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    if (isAscii(bytes)) return bytes.toString('latin1');
    throw new MessageProblem(`The character set "${label.slice(0, 40)}" is unknown`);
  }
}

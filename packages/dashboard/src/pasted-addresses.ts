/** A name or a CSV field, in which quotes are doubled. Bounded, so that what never ends costs little. */
const QUOTED = '(?:[^\\S\\t]{0,9}"(?:[^"\\\\]|\\\\.|""){0,640}")?';
const BETWEEN_SEMICOLONS = new RegExp(`${QUOTED}[^;]*`, 'g');
const BETWEEN_SEPARATORS = new RegExp(`${QUOTED}[^,;\\t]*`, 'g');
/** A name without an address in it, and an address. */
const NAMED = /^[^@<>]*<[^@<>]*@[^@<>]*>$/;
/** What has no place in a name without quotation marks (RFC 5322). */
const NAME_SPECIALS = /[()[\]:;@\\,"]/;

/**
 * The addresses, with or without names, of a text that has one on each line, or several on its only line. Undefined for
 * a table.
 */
export function pastedAddresses(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const addresses = lines.length === 1 ? piecesOf(lines[0]!).flatMap(wordsOf) : onePerLine(lines);
  return addresses?.length && addresses.every(isAddress)
    ? addresses.map((address) => withQuotedName(unquoted(address)))
    : undefined;
}

/** The first line with several pieces shows a table, whose other columns can have addresses of other people. */
function onePerLine(lines: readonly string[]): readonly string[] | undefined {
  const addresses: string[] = [];
  for (const line of lines) {
    const [address, ...others] = piecesOf(line);
    if (address === undefined || others.length > 0) return undefined;
    addresses.push(address);
  }
  return addresses;
}

/** Commas belong to names if there are semicolons between the addresses, as Outlook copies them. */
function piecesOf(line: string): readonly string[] {
  const pieces = line.includes(';') ? split(line, BETWEEN_SEMICOLONS) : [];
  const areWhole = pieces.every((piece) => NAMED.test(piece) || !/[,\t]/.test(piece));
  return pieces.length > 0 && areWhole ? pieces : split(line, BETWEEN_SEPARATORS);
}

function split(line: string, between: RegExp): readonly string[] {
  return (line.match(between) ?? []).map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Addresses without names can have only spaces between them. */
function wordsOf(piece: string): readonly string[] {
  const words = piece.split(/\s+/);
  return piece.includes('<') || !words.every(isAddress) ? [piece] : words;
}

/** True for something like an address, so that a mistyped one is reported. Not for `@ada` or the URL of a profile. */
function isAddress(text: string): boolean {
  return /[^\s/"'<]@/.test(text);
}

/** Without the quotation marks of a CSV file or of SQL. */
function unquoted(piece: string): string {
  const inside = piece.slice(1, -1);
  if (/^'.*'$/.test(piece)) return inside.trim();
  const isField = /^".*"$/.test(piece) && !inside.replaceAll('""', '').includes('"');
  return isField ? inside.replaceAll('""', '"').trim() : piece;
}

function withQuotedName(address: string): string {
  const open = address.endsWith('>') ? address.lastIndexOf('<') : -1;
  const name = address.slice(0, Math.max(0, open)).trim();
  // A forgotten comma: the service reports the address, which would otherwise go out as the name of another recipient.
  if (/[<>]/.test(name) || (name.includes('@') && /\s/.test(name))) return address;
  if (!NAME_SPECIALS.test(name) || /^".*"$/.test(name)) return address;
  return `"${name.replace(/["\\]/g, '\\$&')}" ${address.slice(open)}`;
}

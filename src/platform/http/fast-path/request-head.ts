import type { IncomingMessage } from 'node:http';

/** Names of headers that are read together, in lower case. */
export class HeaderNames {
  private readonly positions: readonly (readonly number[] | undefined)[];

  constructor(readonly names: readonly string[]) {
    const longest = Math.max(0, ...names.map(({ length }) => length));
    this.positions = Array.from({ length: longest + 1 }, (_, length) => {
      const positions = names.flatMap((name, position) => (name.length === length ? [position] : []));
      return positions.length === 0 ? undefined : positions;
    });
  }

  /** @returns -1 for any other name */
  positionOf(text: string, start: number, end: number): number {
    const positions = this.positions[end - start];
    if (positions === undefined) return -1;
    // Most names of a length differ in their first letter.
    const letter = text.charCodeAt(start) | 0x20;
    for (const position of positions) {
      const name = this.names[position]!;
      if (name.charCodeAt(0) === letter && text.slice(start, end).toLowerCase() === name) return position;
    }
    return -1;
  }
}

/** The parts of a request that a handler of the fast path may read, independent of the parser. */
export interface RequestHead {
  /** Address of the other end of the connection: the client, or a proxy before it. */
  readonly peer: string | undefined;
  /** @returns a value or undefined for each name; a repeated header is combined as in node:http */
  read(wanted: HeaderNames): readonly (string | undefined)[];
}

/** A request head as text. It parses headers only when one is needed, in one pass. */
export class PlainHead implements RequestHead {
  /** @param text a strict request head (`parse-get.ts`) */
  constructor(
    private readonly text: string,
    private readonly socket: { readonly remoteAddress?: string },
  ) {}

  get peer(): string | undefined {
    return this.socket.remoteAddress;
  }

  read(wanted: HeaderNames): readonly (string | undefined)[] {
    const { text } = this;
    const values: (string | undefined)[] = Array<undefined>(wanted.names.length).fill(undefined);
    const last = text.length - 2;
    for (let at = text.indexOf('\r\n') + 2; at < last;) {
      const colon = text.indexOf(':', at);
      const end = text.indexOf('\r\n', colon);
      const position = wanted.positionOf(text, at, colon);
      if (position !== -1) {
        values[position] = together(wanted.names[position]!, values[position], valueOf(text, colon + 1, end));
      }
      at = end + 2;
    }
    return values;
  }
}

export class NodeHead implements RequestHead {
  constructor(private readonly request: IncomingMessage) {}

  get peer(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  read(wanted: HeaderNames): readonly (string | undefined)[] {
    const { headers } = this.request;
    return wanted.names.map((name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    });
  }
}

/** Combines repeated headers like node:http: it keeps the first user agent, and joins the others. */
function together(name: string, earlier: string | undefined, value: string): string {
  if (earlier === undefined) return value;
  return name === 'user-agent' ? earlier : `${earlier}, ${value}`;
}

/** Without the spaces and tabs around it (RFC 9110, 5.5). */
function valueOf(text: string, start: number, end: number): string {
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

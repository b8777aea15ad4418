import { STATUS_CODES, type ServerResponse } from 'node:http';

/** Where an answer goes: a response of node:http, or the connection itself. */
export interface Reply {
  /** Sends the answer, completed by headers of this one request: names and values in turn. */
  send(answer: StaticResponse, ...headers: readonly string[]): void;
}

/** Answers a request ahead of the web framework; false leaves it to the framework. */
export type FastPathHandler = (method: string, url: string, reply: Reply) => boolean;

/** An answer that is always the same but for a few headers, laid out once for both ways to send it. */
export class StaticResponse {
  /** Status line and headers as they go over the wire (RFC 9112). */
  readonly head: string;
  readonly closes: boolean;

  /**
   * @param headers names and values in turn, Content-Length among them; with `Connection: close` the connection ends
   * @param body as a text in which each character is one byte: Node sends head and text in one write
   */
  constructor(
    readonly status: number,
    readonly headers: readonly string[],
    readonly body = '',
  ) {
    this.head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headerLines(headers)}`;
    this.closes = headers.includes('close');
  }
}

/** A reply through node:http, which to a HEAD request sends the headers alone. */
export class NodeReply implements Reply {
  constructor(private readonly response: ServerResponse) {}

  send({ status, headers, body }: StaticResponse, ...more: readonly string[]): void {
    this.response.writeHead(status, headers.concat(more));
    if (body === '') this.response.end();
    else this.response.end(body, 'latin1');
  }
}

/** @param headers names and values in turn, which hold no line break */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]!}: ${headers[at + 1]!}\r\n`;
  return lines;
}

import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { RequestHead } from './request-head.js';

/** Sends a response, through node:http or directly to the socket. */
export interface Reply {
  /** Sends the response with extra headers for this request: alternating names and values. */
  send(response: StaticResponse, ...headers: readonly string[]): void;
}

/** Handles a request before the web framework does. Returns false to pass it on to the framework. */
export type FastPathHandler = (method: string, url: string, reply: Reply, head: RequestHead) => boolean;

/** A response that varies only in a few headers. It is serialized once, for node:http and for the raw socket. */
export class StaticResponse {
  /** Status line and headers in wire format (RFC 9112). */
  readonly head: string;
  readonly closes: boolean;

  /**
   * @param headers alternating names and values, including Content-Length; `Connection: close` closes the connection
   * @param body a Latin-1 string, one character per byte: Node sends the head and a string body in one write
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

/** Replies through node:http, which sends only the headers to a HEAD request. */
export class NodeReply implements Reply {
  constructor(private readonly response: ServerResponse) {}

  send({ status, headers, body }: StaticResponse, ...more: readonly string[]): void {
    this.response.writeHead(status, headers.concat(more));
    if (body === '') this.response.end();
    else this.response.end(body, 'latin1');
  }
}

/** @param headers alternating names and values, without line breaks */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `${headers[at]!}: ${headers[at + 1]!}\r\n`;
  return lines;
}

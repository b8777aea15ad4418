import type { IncomingMessage } from 'node:http';

/**
 * True for a request with one Host, and for one in HTTP/1.0 without any (RFC 9112, 3.2). Of two, a proxy and we could
 * choose different ones. Node keeps the first of several, so this counts the raw fields.
 */
export function hasOneHost({ httpVersion, rawHeaders }: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at]!)) hosts++;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

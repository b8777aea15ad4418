import type { IncomingMessage } from 'node:http';
import { NetworkTable, type Network } from '../addresses/network-table.js';

/** Headers in which proxies name the client, in the order in which `ClientAddresses` expects their values. */
export const FORWARDED_HEADERS = ['x-forwarded-for', 'forwarded'] as const;

const PLAIN_IPV4 = /^[\d.]+$/;
/** `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80` or `2001:db8::1`. */
const NODE = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+)(?::\d+)?|([\da-f:.]+(?:%\w+)?))$/i;

/**
 * Finds the client behind proxies. Only trusted proxies may name their client, so the addresses are followed from the
 * connection back to the first one that is not trusted: everything before it may be forged.
 */
export class ClientAddresses {
  private readonly trusted: NetworkTable<true>;
  /** False when no proxy is trusted, so that callers need not read the headers. */
  readonly readsHeaders: boolean;

  constructor(trustedProxies: readonly Network[]) {
    this.readsHeaders = trustedProxies.length > 0;
    this.trusted = new NetworkTable(trustedProxies.map((network) => ({ ...network, value: true })));
  }

  /**
   * @param peer address of the other end of the connection
   * @param forwardedFor value of X-Forwarded-For; takes precedence over `forwarded`, because most proxies set only this
   * one
   * @param forwarded value of Forwarded (RFC 7239)
   * @returns undefined when a trusted proxy does not name its client
   */
  clientOf(peer: string | undefined, forwardedFor?: string, forwarded?: string): string | undefined {
    if (peer === undefined || !this.isTrusted(peer)) return peer;
    const nodes = forwardedFor ?? (forwarded === undefined ? '' : nodesOf(forwarded).join(','));
    let client: string | undefined = peer;
    // From the last to the first: most requests end at the last, so the others are not even split.
    for (let end = nodes.length; end > 0;) {
      const comma = nodes.lastIndexOf(',', end - 1);
      client = addressOf(nodes.slice(comma + 1, end).trim());
      if (client === undefined || !this.isTrusted(client)) return client;
      end = comma;
    }
    return client;
  }

  /** @returns the address of the proxy when it does not name its client, and an empty text when the client has left */
  clientOfRequest({ socket, headers }: IncomingMessage): string {
    const [forwardedFor, forwarded] = FORWARDED_HEADERS.map((name) => headers[name]?.toString());
    return this.clientOf(socket.remoteAddress, forwardedFor, forwarded) ?? socket.remoteAddress ?? '';
  }

  private isTrusted(address: string): boolean {
    return this.trusted.find(address) === true;
  }
}

/**
 * The parameter `for` of each element. Quotes may hold any separator, so this reads character by character, from the
 * end: elements of trusted proxies come last, and a quote that the client left open before them must not hide them.
 */
function nodesOf(forwarded: string): string[] {
  const nodes: string[] = [];
  let node: string | undefined;
  let isQuoted = false;
  let end = forwarded.length;
  for (let at = end - 1; at >= -1; at--) {
    const character = at === -1 ? ',' : forwarded[at];
    if (character === '"' && !isEscaped(forwarded, at)) isQuoted = !isQuoted;
    if ((isQuoted && at !== -1) || (character !== ',' && character !== ';')) continue;
    node ??= forOf(forwarded.slice(at + 1, end));
    end = at;
    if (character === ';') continue;
    nodes.push(isQuoted ? 'unknown' : node || 'unknown');
    node = undefined;
  }
  return nodes.reverse();
}

/** @param pair such as `for="192.0.2.1"`. @returns undefined for any other parameter */
function forOf(pair: string): string | undefined {
  const separator = pair.indexOf('=');
  const isFor = pair.slice(0, separator).trim().toLowerCase() === 'for';
  return isFor ? pair.slice(separator + 1).replaceAll('"', '') : undefined;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && text[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}

/** @returns undefined for `unknown`, an obfuscated name (RFC 7239, 6.3) and any other text */
function addressOf(node: string): string | undefined {
  if (PLAIN_IPV4.test(node)) return node;
  const [, bracketed, ipv4, ipv6] = NODE.exec(node) ?? [];
  return bracketed ?? ipv4 ?? ipv6;
}
